// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>

#include "framework/loader/loader.hpp"
#include "framework/loader/precheck.hpp"
#include "framework/mca/value.hpp"
#include "tools/check/expect.hpp"
#include "tools/check/groups.hpp"

// The file, before anything of it is used.

namespace hawser::check {

namespace {

/// As a job finds it. The registry and the loader must live as long as the descriptor is used.
struct Found {
  mca::Registry registry;
  loader::Loader loader;
  const hawser_btl_descriptor* descriptor = nullptr;

  explicit Found(const Subject& subject) {
    auto found = loader.discover(registry, subject.folder);
    require(found.has_value(), "{}", found ? "" : found.error().text);
    for (const auto& plugin : loader.plugins()) {
      if (plugin.path != subject.file) continue;
      require(plugin.stage == loader::Stage::kLoaded, "the loader says: {} {}", plugin.path, plugin.reason);
      descriptor = *loader.descriptor(plugin.name);
      return;
    }
    require(false, "the loader does not look at {}: a component is hawser_btl_NAME.so", subject.file);
  }
};

void loader_takes_it(const Subject& subject) {
  const Found found(subject);
  expect(found.descriptor->name == subject.name, "it calls itself \"{}\"", found.descriptor->name);
}

bool of_a_sanitizer(const std::string& symbol) {
  return symbol.find("asan") != std::string::npos || symbol.find("tsan") != std::string::npos ||
         symbol.find("ubsan") != std::string::npos;
}

void one_symbol(const Subject& subject) {
  auto symbols = loader::exported_symbols(subject.file);
  require(symbols.has_value(), "{} {}", subject.file, symbols ? "" : symbols.error().text);
  std::erase_if(*symbols, of_a_sanitizer);
  for (const std::string& symbol : *symbols)
    expect(symbol == HAWSER_BTL_SYMBOL_NAME,
           "it exports {} too; link it with a version script that leaves " HAWSER_BTL_SYMBOL_NAME " only",
           symbol);
}

void descriptor_is_complete(const Subject& subject) {
  const Found found(subject);
  const hawser_btl_descriptor& d = *found.descriptor;
  expect(d.struct_size == sizeof(hawser_btl_descriptor) || d.abi_minor != btl::kAbiMinor,
         "its descriptor has {} bytes; in version {}.{} it has {}", d.struct_size, btl::kAbiMajor,
         btl::kAbiMinor, sizeof(hawser_btl_descriptor));
  expect(*d.version != '\0', "it does not say its own version");
  expect(*d.toolchain != '\0', "it does not say what compiled it");
  expect((d.flags & ~std::uint32_t{btl::kOnlyByName}) == 0, "it sets flags that there are not: {:#x}",
         d.flags);
  const auto told = loader::told_by(d);
  expect(told.has_value(), "{}", told ? "" : told.error().text);
}

bool good_name(const std::string& name) {
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

void look_at_row(const mca::ParamRow& row) {
  expect(good_name(row.name), "parameter \"{}\": a name is lower case with underscores", row.name);
  expect(row.help && std::string(row.help) != row.name && *row.help,
         "parameter {}: the help text says nothing", row.name);
  expect(row.level >= 1 && row.level <= 9, "parameter {}: level {} is not 1 to 9", row.name, row.level);
  const bool measured = row.type == mca::ParamType::kSize || row.type == mca::ParamType::kTime;
  expect(!measured || (row.unit && *row.unit), "parameter {}: a size or a time needs a unit", row.name);
  expect(row.min <= row.max, "parameter {}: its range ends before it begins", row.name);
  const auto parsed = mca::parse_value(row, row.default_text);
  expect(parsed.has_value(), "parameter {}: its default \"{}\" is not allowed: {}", row.name,
         row.default_text, parsed ? "" : parsed.error().text);
  const bool choice = row.type == mca::ParamType::kChoice;
  expect(!choice || mca::choice_words(row).size() > 1, "parameter {}: a choice of one word", row.name);
}

void parameters_are_declared(const Subject& subject) {
  const Found found(subject);
  std::set<const void*> storage;
  for (std::uint32_t i = 0; i < found.descriptor->param_count; ++i) {
    const mca::ParamRow& row = found.descriptor->params[i];
    require(row.name && row.default_text && row.storage, "parameter row {} lacks name, default or storage",
            i);
    look_at_row(row);
    expect(storage.insert(row.storage).second, "parameter {} is stored where another one is", row.name);
  }
}

constexpr Check kChecks[] = {
    {"file.loader_takes_it",
     "The loader takes the file: named for its component, whole, trusted, of this version, with types of "
     "these "
     "sizes.",
     kFile, nullptr, &loader_takes_it},
    {"file.one_symbol", "A plug-in exports one symbol, hawser_btl_component.", kFile, nullptr, &one_symbol},
    {"file.descriptor_complete",
     "The descriptor has its own size, says version, toolchain and known flags, and what it tells of "
     "counters and state machines is whole.",
     kFile, nullptr, &descriptor_is_complete},
    {"file.parameters_declared",
     "Every parameter has a lower-case name, a help text, a level, an allowed default, a range, a unit if it "
     "is "
     "measured, and storage of its own.",
     kFile, nullptr, &parameters_are_declared},
};

}  // namespace

std::span<const Check> file_checks() {
  return kChecks;
}

}  // namespace hawser::check
