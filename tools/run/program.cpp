// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hawser::tools {
namespace {

bool is_folder(const std::string& file) {
  struct stat about {};
  return ::stat(file.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

/// The file that a name stands for, as execvp looks for it.
std::optional<Failure> find_file(const std::string& name, std::string& out) {
  const auto cannot = [&](const std::string& file, const char* why) {
    return Failure{fmt::format("{} cannot be executed: {}", file, why), 126};
  };
  if (name.find('/') != std::string::npos) {
    out = name;
    if (::access(name.c_str(), F_OK) != 0)
      return Failure{fmt::format("{}: {}", name, std::strerror(errno)), 127};
    if (is_folder(name)) return cannot(name, "it is a folder");
    if (::access(name.c_str(), X_OK) != 0) return cannot(name, std::strerror(errno));
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string left = path ? path : "/usr/local/bin:/usr/bin:/bin";
  std::string not_executable;
  for (left += ':'; !left.empty(); left.erase(0, left.find(':') + 1)) {
    const std::string folder = left.substr(0, left.find(':'));
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(file.c_str(), F_OK) != 0 || is_folder(file)) continue;
    out = file;
    if (::access(file.c_str(), X_OK) == 0) return std::nullopt;
    not_executable = file;
  }
  if (!not_executable.empty()) return cannot(not_executable, std::strerror(EACCES));
  const bool is_here = ::access(name.c_str(), X_OK) == 0 && !is_folder(name);
  return Failure{fmt::format("there is no program \"{}\" in PATH{}", name,
                             is_here ? fmt::format("; did you mean ./{}?", name) : std::string()),
                 127};
}

std::string with_rank(std::string word, std::uint32_t rank) {
  static constexpr std::string_view kMark = "{rank}";
  for (auto at = word.find(kMark); at != std::string::npos; at = word.find(kMark, at)) {
    word.replace(at, kMark.size(), std::to_string(rank));
  }
  return word;
}

}  // namespace

std::optional<Failure> enter_folder(const std::string& folder) {
  if (folder.empty() || ::chdir(folder.c_str()) == 0) return std::nullopt;
  return Failure{fmt::format("--wdir {}: {}", folder, std::strerror(errno))};
}

std::optional<Failure> find_commands(const Options& options, Commands& out) {
  std::string program;
  if (auto failure = find_file(options.program[0], program)) return failure;
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
    Command command{program, {}};
    for (const std::string& word : options.wrap) command.words.push_back(with_rank(word, rank));
    if (!command.words.empty()) {
      if (auto failure = find_file(command.words[0], command.file)) return failure;
    }
    command.words.insert(command.words.end(), options.program.begin(), options.program.end());
    out.push_back(std::move(command));
  }
  return std::nullopt;
}

}  // namespace hawser::tools
