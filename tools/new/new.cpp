// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/new/new.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "tools/new/template.hpp"

namespace hawser::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 32;
constexpr std::array<std::string_view, 4> kOurs = {"self", "shm", "tcp", "fault"};

/// What is wrong with the name, or nothing. It becomes part of a file name, of parameters and of a namespace.
std::string fault_of(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || name[0] < 'a' || name[0] > 'z' || !std::all_of(name.begin(), name.end(), fits))
    return "a name is made of a-z, 0-9 and _, and begins with a letter";
  if (name.size() > kLongestName) return fmt::format("a name has at most {} characters", kLongestName);
  if (name.back() == '_' || name.find("__") != name.npos)
    return "after _ comes a letter or a digit, else C++ would not take the name";
  if (std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end())
    return "Hawser has a component of that name, and yours would hide it";
  if (name == "base") return "parameters btl_base_... belong to all components";
  return "";
}

std::string named(std::string_view text, std::string_view name) {
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(kTemplateName, at);
    result += text.substr(at, next - at);
    if (next == text.npos) return result;
    result += name;
    at = next + kTemplateName.size();
  }
}

/// True: all files are there. Else what was made is removed again.
bool write_all(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  if (!fs::create_directories(folder, failed)) {
    fmt::print(stderr, "hawser new: {} cannot be made: {}\n", folder.string(), failed.message());
    return false;
  }
  for (const TemplateFile& file : template_files()) {
    const fs::path path = folder / file.name;
    errno = 0;
    std::ofstream out(path, std::ios::binary);
    out << named(file.text, name);
    out.close();
    if (out) continue;
    fmt::print(stderr, "hawser new: {} cannot be written: {}\n", path.string(), std::strerror(errno));
    fs::remove_all(folder, failed);
    return false;
  }
  return true;
}

/// Where `hawser` is installed, if it is.
std::string prefix_option() {
  std::error_code failed;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
  const bool installed = !failed && fs::exists(prefix / HAWSER_PACKAGE_FOLDER / "hawserConfig.cmake", failed);
  return " -DCMAKE_PREFIX_PATH=" + (installed ? prefix.string() : "(where Hawser is installed)");
}

void tell_next_steps(const std::string& folder, const std::string& name) {
  fmt::print(
      "{0} holds component \"{1}\": sends over Unix-domain streams, passes `hawser check` as it is.\n"
      "  cmake -S {0} -B {0}/build -DCMAKE_BUILD_TYPE=Release{2}\n"
      "  cmake --build {0}/build\n"
      "  ctest --test-dir {0}/build --output-on-failure\n"
      "Its sections are those of how-to-write-a-component.md.\n",
      folder, name, prefix_option());
}

}  // namespace

int new_main(int argc, char** argv) {
  CLI::App app("Writes a component of your own, to start from.", "hawser new");
  std::string name, folder;
  app.add_option("NAME", name, "of the component: hawser_btl_NAME.so")->required();
  app.add_option("DIR", folder, "folder to make; default: NAME");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (const std::string fault = fault_of(name); !fault.empty()) {
    fmt::print(stderr, "hawser new: \"{}\" is no name for a component: {}.\n", name, fault);
    return 2;
  }
  if (folder.empty()) folder = name;
  std::error_code failed;
  if (fs::symlink_status(folder, failed).type() != fs::file_type::not_found) {
    fmt::print(stderr, "hawser new: {} is there already, and is left as it is; name a folder that is not.\n",
               folder);
    return 1;
  }
  if (!write_all(folder, name)) return 1;
  tell_next_steps(folder, name);
  return 0;
}

}  // namespace hawser::tools
