// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/mca/selection.hpp"

#include <algorithm>

#include "framework/mca/value.hpp"

namespace hawser::mca {

namespace {

Error caret_inside(std::string_view framework, std::string_view text) {
  std::string without;
  std::ranges::copy_if(text, std::back_inserter(without), [](char c) { return c != '^'; });
  return make_error(
      Errc::kInvalid,
      "{} = {}: a caret may stand at the start only, where it covers the whole list; write \"^NAME,NAME\" "
      "to leave components out, or name those that you want, as in \"{}\"",
      framework, text, without);
}

}  // namespace

bool Selection::allows(std::string_view name) const {
  if (open_choice()) return true;
  bool listed = std::ranges::find(names, name) != names.end();
  return listed != exclude;
}

Result<Selection> parse_selection(std::string_view framework, std::string_view text) {
  Selection selection;
  std::string_view rest = trim(text);
  if (rest.empty()) return selection;
  selection.exclude = rest.front() == '^';
  if (selection.exclude) rest.remove_prefix(1);
  if (rest.find('^') != std::string_view::npos) return caret_inside(framework, text);
  for (bool more = true; more;) {
    std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    std::string name(trim(rest.substr(0, comma)));
    if (more) rest = rest.substr(comma + 1);
    if (name.empty()) {
      return make_error(Errc::kInvalid,
                        "{} = {}: an empty name in the list; write names with one comma between, as in "
                        "\"tcp,self\"",
                        framework, text);
    }
    if (std::ranges::find(selection.names, name) == selection.names.end())
      selection.names.push_back(std::move(name));
  }
  return selection;
}

}  // namespace hawser::mca
