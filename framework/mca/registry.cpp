// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/mca/registry.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "framework/mca/declaration.hpp"
#include "framework/mca/nearest.hpp"
#include "framework/mca/sources.hpp"
#include "framework/mca/value.hpp"

namespace hawser::mca {

namespace {

struct Entry {
  ParamRow row;
  ParamView view;
};

/// "FILE" of "FILE:LINE": settings of one file are judged together.
std::string_view without_line(std::string_view where) {
  std::size_t end = where.find_last_not_of("0123456789");
  bool numbered = end != std::string_view::npos && where[end] == ':' && end + 1 < where.size();
  return numbered ? where.substr(0, end) : where;
}

std::string setting_text(const ParamView& view) {
  return fmt::format("{} = {} ({})", view.name, view.value, view.where);
}

}  // namespace

struct Registry::Impl {
  std::deque<Entry> entries;  // a deque: views and rows stay where they are
  std::unordered_map<std::string, Entry*> by_name;
  std::map<std::string, std::vector<Setting>> settings;  // by name, in the order they came
  std::vector<std::pair<std::string, std::string>> pairs;
  std::deque<std::string> texts;  // what kString and kChoice storage points to

  Result<void> take(const std::vector<Setting>& batch);
  Result<void> judge_twice(const Setting& setting, std::size_t first) const;
  const Setting* strongest(const std::string& name) const;
  Result<void> resolve(Entry& entry);
  Result<void> resolve_from(std::size_t first_entry, std::size_t first_pair);
  Result<void> judge_pairs(std::size_t first) const;
  void store(const ParamRow& row, Value value);
  void store_default(Entry& entry);
  void add(std::string_view framework, std::string_view component, const ParamRow& row);
  void add_pairs(std::size_t first);
  std::vector<std::string> names() const;
};

/// `first`: how many settings of that name were there before the batch.
Result<void> Registry::Impl::judge_twice(const Setting& setting, std::size_t first) const {
  const auto& given = settings.at(setting.name);
  for (std::size_t i = first; i < given.size(); ++i) {
    const Setting& other = given[i];
    bool same_place =
        other.source == setting.source && without_line(other.where) == without_line(setting.where);
    if (!same_place || other.value == setting.value) continue;
    return make_error(Errc::kInvalid,
                      "parameter {} is given twice with different values: \"{}\" ({}) and \"{}\" ({})",
                      setting.name, other.value, other.where, setting.value, setting.where);
  }
  return {};
}

Result<void> Registry::Impl::take(const std::vector<Setting>& batch) {
  std::map<std::string, std::size_t> before;
  for (const Setting& setting : batch) {
    auto& given = settings[setting.name];
    std::size_t first = before.try_emplace(setting.name, given.size()).first->second;
    // The environment of Open MPI is not ours to judge.
    if (setting.source != Source::kOmpiEnvironment) {
      if (auto ok = judge_twice(setting, first); !ok) return ok;
    }
    given.push_back(setting);
  }
  return {};
}

const Setting* Registry::Impl::strongest(const std::string& name) const {
  auto found = settings.find(name);
  if (found == settings.end()) return nullptr;
  const Setting* best = nullptr;
  for (const Setting& setting : found->second) {
    if (!best || setting.source >= best->source) best = &setting;
  }
  return best;
}

void Registry::Impl::store(const ParamRow& row, Value value) {
  switch (row.type) {
    case ParamType::kBool:
      *static_cast<bool*>(row.storage) = std::get<bool>(value);
      return;
    case ParamType::kInt:
      *static_cast<std::int64_t*>(row.storage) = std::get<std::int64_t>(value);
      return;
    case ParamType::kSize:
    case ParamType::kTime:
      *static_cast<std::uint64_t*>(row.storage) = std::get<std::uint64_t>(value);
      return;
    case ParamType::kString:
    case ParamType::kChoice: {
      // Who has read a text may keep it, so none goes away; one that is there already serves again.
      std::string& text = std::get<std::string>(value);
      auto kept = std::ranges::find(texts, text);
      if (kept == texts.end()) kept = texts.insert(kept, std::move(text));
      *static_cast<const char**>(row.storage) = kept->c_str();
      return;
    }
  }
}

void Registry::Impl::store_default(Entry& entry) {
  entry.view.value = entry.row.default_text;
  entry.view.source = Source::kDefault;
  entry.view.where = "default";
  store(entry.row, *parse_value(entry.row, entry.row.default_text));  // judged by check_declaration
}

Result<void> Registry::Impl::resolve(Entry& entry) {
  const Setting* setting = strongest(entry.view.name);
  if (!setting) return {};
  std::string text(trim(setting->value));
  auto value = parse_value(entry.row, text);
  if (!value) {
    store_default(entry);
    return make_error(Errc::kInvalid, "parameter {} ({}): {}", entry.view.name, setting->where,
                      value.error().text);
  }
  entry.view.value = text;
  entry.view.source = setting->source;
  entry.view.where = setting->where;
  store(entry.row, std::move(*value));
  return {};
}

Result<void> Registry::Impl::resolve_from(std::size_t first_entry, std::size_t first_pair) {
  Result<void> first;
  for (std::size_t i = first_entry; i < entries.size(); ++i) {
    auto ok = resolve(entries[i]);
    if (!ok && first) first = std::move(ok);
  }
  return first ? judge_pairs(first_pair) : first;
}

Result<void> Registry::Impl::judge_pairs(std::size_t first) const {
  for (std::size_t i = first; i < pairs.size(); ++i) {
    const auto& [name, other] = pairs[i];
    const Entry& a = *by_name.at(name);
    const Entry& b = *by_name.at(other);
    auto set = [](const Entry& entry) {
      return !entry.view.value.empty() && entry.view.value != entry.row.default_text;
    };
    if (!set(a) || !set(b)) continue;
    return make_error(Errc::kInvalid,
                      "{} and {} exclude each other; take one away, or set it to an empty value",
                      setting_text(a.view), setting_text(b.view));
  }
  return {};
}

void Registry::Impl::add(std::string_view framework, std::string_view component, const ParamRow& row) {
  Entry& entry = entries.emplace_back();
  entry.row = row;
  entry.view.name = full_name(framework, component, row.name);
  entry.view.framework = framework;
  entry.view.component = component;
  entry.view.row = &entry.row;
  by_name.emplace(entry.view.name, &entry);
  store_default(entry);
}

void Registry::Impl::add_pairs(std::size_t first) {
  constexpr std::string_view kInclude = "_include";
  for (std::size_t i = first; i < entries.size(); ++i) {
    const std::string& name = entries[i].view.name;
    if (!name.ends_with(kInclude)) continue;
    std::string other = name.substr(0, name.size() - kInclude.size()) + "_exclude";
    if (by_name.contains(other)) pairs.emplace_back(name, other);
  }
}

std::vector<std::string> Registry::Impl::names() const {
  std::vector<std::string> all;
  for (const Entry& entry : entries) all.push_back(entry.view.name);
  return all;
}

Registry::Registry() : impl_(std::make_unique<Impl>()) {}
Registry::~Registry() = default;
Registry::Registry(Registry&&) noexcept = default;
Registry& Registry::operator=(Registry&&) noexcept = default;

Result<void> Registry::declare(std::string_view framework, std::string_view component, const ParamRow* rows,
                               std::size_t count) {
  if (auto ok = check_declaration(framework, component, rows, count); !ok) return ok;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = full_name(framework, component, rows[i].name);
    if (find(name)) return make_error(Errc::kUnsupported, "parameter {} is declared twice", name);
  }
  std::size_t first = impl_->entries.size();
  for (std::size_t i = 0; i < count; ++i) impl_->add(framework, component, rows[i]);
  std::size_t first_pair = impl_->pairs.size();
  impl_->add_pairs(first);
  return impl_->resolve_from(first, first_pair);
}

Result<void> Registry::exclude_each_other(std::string_view name, std::string_view other) {
  for (std::string_view one : {name, other}) {
    if (!find(one)) return make_error(Errc::kUnsupported, "parameter {} is not declared", one);
  }
  impl_->pairs.emplace_back(name, other);
  return impl_->judge_pairs(impl_->pairs.size() - 1);
}

Result<void> Registry::read_sources() {
  auto batches = read_all_sources();
  if (!batches) return batches.error();
  for (const Batch& batch : *batches) {
    if (auto ok = impl_->take(batch); !ok) return ok;
  }
  return impl_->resolve_from(0, 0);
}

Result<void> Registry::apply(const std::vector<Setting>& settings) {
  if (auto ok = impl_->take(settings); !ok) return ok;
  return impl_->resolve_from(0, 0);
}

Result<void> Registry::set(const Setting& setting) {
  const auto found = impl_->by_name.find(setting.name);
  if (found == impl_->by_name.end())
    return make_error(Errc::kNotFound, "there is no parameter \"{}\"", setting.name);
  Entry& entry = *found->second;
  if (auto value = parse_value(entry.row, trim(setting.value)); !value)
    return make_error(Errc::kInvalid, "parameter {} ({}): {}", setting.name, setting.where,
                      value.error().text);
  if (entry.view.source > setting.source)
    return make_error(Errc::kPermission, "{} is fixed by {}", setting_text(entry.view),
                      to_text(entry.view.source));
  auto& given = impl_->settings[setting.name];
  std::vector<Setting> before = given;
  std::erase_if(given, [&](const Setting& old) { return old.source == setting.source; });
  given.push_back(setting);
  Result<void> done = impl_->resolve(entry);
  if (done) done = impl_->judge_pairs(0);
  if (done) return done;
  given = std::move(before);
  impl_->store_default(entry);
  static_cast<void>(impl_->resolve(entry));  // what it was before
  return done;
}

std::vector<ParamView> Registry::list() const {
  std::vector<ParamView> views;
  for (const Entry& entry : impl_->entries) views.push_back(entry.view);
  return views;
}

const ParamView* Registry::find(std::string_view name) const {
  auto found = impl_->by_name.find(std::string(name));
  return found == impl_->by_name.end() ? nullptr : &found->second->view;
}

std::vector<std::string> Registry::unknown_settings(const std::vector<std::string>& known_prefixes) const {
  std::vector<std::string> lines;
  std::vector<std::string> names = impl_->names();
  for (const auto& [name, given] : impl_->settings) {
    auto starts = [&name = name](const std::string& prefix) { return name.starts_with(prefix); };
    if (find(name) || std::ranges::any_of(known_prefixes, starts)) continue;
    for (const Setting& setting : given) {
      // Open MPI has many parameters that we do not have.
      if (setting.source == Source::kOmpiEnvironment) continue;
      lines.push_back(
          fmt::format("unknown parameter \"{}\" ({}){}", name, setting.where, did_you_mean(name, names)));
    }
  }
  return lines;
}

const char* to_text(Source source) noexcept {
  switch (source) {
    case Source::kDefault:
      return "default";
    case Source::kSystemFile:
      return "system file";
    case Source::kUserFile:
      return "user file";
    case Source::kTuneFile:
      return "tune file";
    case Source::kOmpiEnvironment:
      return "Open MPI environment";
    case Source::kEnvironment:
      return "environment";
    case Source::kCommandLine:
      return "command line";
    case Source::kTool:
      return "tool interface";
    case Source::kOverrideFile:
      return "override file";
  }
  return "unknown";
}

}  // namespace hawser::mca
