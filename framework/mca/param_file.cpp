// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/mca/param_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cctype>
#include <optional>

#include "framework/base/fd.hpp"
#include "framework/mca/value.hpp"

namespace hawser::mca {

namespace {

constexpr std::size_t kMaxFile = 1u << 20;  // far above any real parameter file

bool name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

/// What is before a comment; a `#` inside a word belongs to the word (module names have one).
std::string_view without_comment(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool starts = i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t';
    if (text[i] == '#' && starts) return text.substr(0, i);
  }
  return text;
}

/// The value in quotes; nothing if the quote does not end, or more than a comment follows it.
std::optional<std::string_view> quoted(std::string_view text) {
  std::size_t end = text.find(text.front(), 1);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view after = text.substr(end + 1);
  if (!trim(after).empty() && trim(after).front() != '#') return std::nullopt;
  return text.substr(1, end - 1);
}

/// Why a line cannot be read, or its setting. Nothing for blank lines and comments.
Result<std::optional<Setting>> parse_line(std::string_view line) {
  line = trim(line);
  if (line.empty() || line.front() == '#') return std::optional<Setting>{};
  std::size_t equals = line.find('=');
  if (equals == std::string_view::npos)
    return make_error(Errc::kInvalid, "has no \"=\"; a line is \"name = value\"");
  std::string_view name = trim(line.substr(0, equals));
  if (name.empty()) return make_error(Errc::kInvalid, "has no name before the \"=\"");
  for (char c : name) {
    if (!name_char(c)) return make_error(Errc::kInvalid, "has a name with a character that no parameter has");
  }
  std::string_view value = trim(line.substr(equals + 1));
  if (!value.empty() && (value.front() == '"' || value.front() == '\'')) {
    auto inner = quoted(value);
    if (!inner) return make_error(Errc::kInvalid, "has a quote that does not end, or text after it");
    value = *inner;
  } else {
    value = trim(without_comment(value));
  }
  Setting setting;
  setting.name = name;
  setting.value = value;
  return std::optional<Setting>(std::move(setting));
}

Result<std::string> read_all(int fd, const std::string& file) {
  std::string text;
  char block[4096];
  for (;;) {
    auto count = retry_eintr([&] { return ::read(fd, block, sizeof block); });
    if (count < 0) return system_error("parameter file " + file, errno);
    if (count == 0) return text;
    text.append(block, static_cast<std::size_t>(count));
    if (text.size() > kMaxFile)
      return make_error(Errc::kTruncated, "parameter file {} is larger than 1 MiB", file);
  }
}

}  // namespace

Result<std::vector<Setting>> parse_param_text(std::string_view text, const std::string& file, Source source) {
  std::vector<Setting> settings;
  if (text.find('\0') != std::string_view::npos) {
    return make_error(Errc::kInvalid, "parameter file {} is not a text file: it has a zero byte", file);
  }
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    auto parsed = parse_line(line);
    if (!parsed) {
      return make_error(Errc::kInvalid, "{}:{}: \"{}\" {}", file, number, trim(line).substr(0, 80),
                        parsed.error().text);
    }
    if (!*parsed) continue;
    Setting& setting = **parsed;
    setting.source = source;
    setting.where = fmt::format("{}:{}", file, number);
    settings.push_back(std::move(setting));
  }
  return settings;
}

Result<std::vector<Setting>> read_param_file(const std::string& file, Source source) {
  // Without O_NONBLOCK the open of a pipe would wait for its writer.
  Fd fd(retry_eintr([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (!fd) {
    bool absent = errno == ENOENT || errno == ENOTDIR;
    if (absent) return make_error(Errc::kNotFound, "parameter file {} does not exist", file);
    return system_error("parameter file " + file, errno);
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return system_error("parameter file " + file, errno);
  if (S_ISDIR(info.st_mode)) return make_error(Errc::kInvalid, "parameter file {} is a folder", file);
  auto text = read_all(fd.get(), file);
  if (!text) return text.error();
  return parse_param_text(*text, file, source);
}

}  // namespace hawser::mca
