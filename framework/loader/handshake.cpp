// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/loader/handshake.hpp"

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/no_destructor.hpp"

namespace hawser::loader {

namespace {

namespace dll = boost::dll;

constexpr std::uint32_t kMaxParams = 1000;

std::vector<std::unique_ptr<dll::shared_library>>& loaded() {
  static NoDestructor<std::vector<std::unique_ptr<dll::shared_library>>>
      libraries;  // nothing is ever unloaded
  return *libraries;
}

/// What the system's loader said, out of the words that Boost.DLL puts around it.
std::string system_reason(std::string_view text) {
  constexpr std::string_view kBefore = "dlerror system message: ";
  std::size_t start = text.find(kBefore);
  std::size_t end = text.rfind("): ");
  if (start == std::string_view::npos || end == std::string_view::npos) return std::string(text);
  start += kBefore.size();
  return std::string(text.substr(start, end - start));
}

/// What every descriptor of our major version has, and all that one of minor version 0 has.
constexpr std::size_t kSizeOf10 = offsetof(hawser_btl_descriptor, counters);

std::size_t least_size(std::uint32_t minor) noexcept {
  return minor == 0 ? kSizeOf10 : sizeof(hawser_btl_descriptor);
}

Error refuse(std::string text) {
  return Error{Errc::kVersion, 0, std::move(text)};
}

Result<void> check_version(const hawser_btl_descriptor& descriptor) {
  bool same_major = descriptor.abi_major == btl::kAbiMajor;
  if (same_major && descriptor.abi_minor <= btl::kAbiMinor) return {};
  return refuse(fmt::format(
      "was built for version {}.{} of the component interface, this Hawser has {}.{}; {}",
      descriptor.abi_major, descriptor.abi_minor, btl::kAbiMajor, btl::kAbiMinor,
      same_major ? "build it against this Hawser or install a newer one" : "build it against this Hawser"));
}

const btl::LayoutRow* our_row(std::string_view type) noexcept {
  const auto* end = btl::kLayout + btl::kLayoutCount;
  const auto* found = std::find_if(btl::kLayout, end, [&](const auto& row) { return type == row.type; });
  return found == end ? nullptr : found;
}

/// An older minor version has fewer types, and no type has grown since: the version that lets one grow has to
/// tell here which size the older ones had.
Result<void> check_layout(const hawser_btl_descriptor& descriptor) {
  const auto damaged = [] { return refuse("has a component descriptor with a damaged list of type sizes"); };
  const bool same_minor = descriptor.abi_minor == btl::kAbiMinor;
  const std::uint32_t count = descriptor.layout_count;
  if (!descriptor.layout || count == 0 || count > btl::kLayoutCount) return damaged();
  if (same_minor && count != btl::kLayoutCount) return damaged();
  for (std::uint32_t i = 0; i < count; ++i) {
    const btl::LayoutRow& theirs = descriptor.layout[i];
    const btl::LayoutRow* ours = theirs.type ? our_row(theirs.type) : nullptr;
    if (!ours) return damaged();
    if (theirs.size == ours->size) continue;
    return refuse(
        fmt::format("was built with {} of {} bytes, this Hawser has {}; build it against this Hawser",
                    ours->type, theirs.size, ours->size));
  }
  return {};
}

}  // namespace

Result<const hawser_btl_descriptor*> load(const std::string& path) {
  try {
    auto library =
        std::make_unique<dll::shared_library>(path, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
    loaded().push_back(std::move(library));
    return &loaded().back()->get<const hawser_btl_descriptor>(HAWSER_BTL_SYMBOL_NAME);
  } catch (const std::exception& failure) {
    return make_error(Errc::kInvalid, "cannot be loaded: {}", system_reason(failure.what()));
  } catch (...) {
    return make_error(Errc::kInvalid,
                      "cannot be loaded: its start-up code threw something that is no std::exception");
  }
}

Result<void> check_handshake(const hawser_btl_descriptor& descriptor, const std::string& name) {
  if (descriptor.magic != btl::kMagic) return refuse("has no component descriptor (wrong magic number)");
  // Major and minor come before anything that may move: the size is judged after them.
  if (auto ok = check_version(descriptor); !ok) return ok;
  if (const std::size_t least = least_size(descriptor.abi_minor); descriptor.struct_size < least) {
    return refuse(
        fmt::format("has a component descriptor of {} bytes, {} are needed; build it against this Hawser",
                    descriptor.struct_size, least));
  }
  if (!descriptor.framework || !descriptor.name || !descriptor.version || !descriptor.toolchain) {
    return refuse("has a component descriptor with a null text");
  }
  if (std::strcmp(descriptor.framework, "btl") != 0) {
    return refuse(
        fmt::format("is a component of the framework \"{}\", not of \"btl\"", descriptor.framework));
  }
  if (name != descriptor.name) {
    return refuse(
        fmt::format("calls itself \"{}\", but its file is named for \"{}\"; rename the file to "
                    "hawser_btl_{}.so",
                    descriptor.name, name, descriptor.name));
  }
  if (!descriptor.create || !descriptor.destroy)
    return refuse("has a component descriptor without create or destroy");
  bool params = descriptor.param_count == 0 || (descriptor.params && descriptor.param_count <= kMaxParams);
  if (!params) return refuse("has a component descriptor with a damaged list of parameters");
  return check_layout(descriptor);
}

}  // namespace hawser::loader
