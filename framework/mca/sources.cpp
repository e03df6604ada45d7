// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/mca/sources.hpp"

#include <dlfcn.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string_view>

#include "framework/mca/param_file.hpp"

namespace hawser::mca {

namespace {

namespace fs = std::filesystem;

constexpr char kSeparator = '\x1f';

/// The installation's etc/hawser, relative to the library: lib or lib/TRIPLET lies beside it.
std::string relative_file(const char* name) {
  std::string folder = library_folder();
  if (folder.empty()) return {};
  std::error_code ignored;
  for (const char* up : {"..", "../.."}) {
    fs::path file = (fs::path(folder) / up / "etc/hawser" / name).lexically_normal();
    if (fs::exists(file, ignored)) return file.string();
  }
  return {};
}

/// The files of one name, weakest first. `hook` names another one instead, for tests.
std::vector<std::string> system_files(const char* name, const char* hook) {
  std::string other = trusted_environment(hook);
  if (!other.empty()) return {other};
  std::string general = std::string("/etc/hawser/") + name;
  std::string relative = relative_file(name);
  if (relative.empty() || relative == general) return {general};
  return {general, relative};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    std::size_t end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return parts;
}

enum class IfAbsent { kSkip, kFail };

Result<void> add_files(std::vector<Batch>& batches, const std::vector<std::string>& files, Source source,
                       IfAbsent if_absent) {
  for (const auto& file : files) {
    auto batch = read_param_file(file, source);
    if (batch) {
      batches.push_back(std::move(*batch));
    } else if (batch.error().code != Errc::kNotFound || if_absent == IfAbsent::kFail) {
      return batch.error();
    }
  }
  return {};
}

}  // namespace

std::string library_file() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&library_file), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code error;
  fs::path file = fs::canonical(info.dli_fname, error);
  return error ? std::string{} : file.string();
}

std::string library_folder() {
  return fs::path(library_file()).parent_path().string();
}

std::string user_folder() {
  std::string home = trusted_environment("HOME");
  if (home.empty()) {
    passwd entry{};
    passwd* found = nullptr;
    char buffer[4096];
    if (::getpwuid_r(::geteuid(), &entry, buffer, sizeof buffer, &found) == 0 && found) home = found->pw_dir;
  }
  return home.empty() ? home : home + "/.hawser";
}

std::string trusted_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

Batch read_environment(const char* const* environment, const std::string& prefix, Source source) {
  Batch batch;
  for (; environment && *environment; ++environment) {
    // Not a byte further than the names agree: another thread may change a value of another variable.
    if (std::strncmp(*environment, prefix.c_str(), prefix.size()) != 0) continue;
    std::string_view entry = *environment;
    std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    std::string variable(entry.substr(0, equals));
    batch.push_back({variable.substr(prefix.size()), std::string(entry.substr(equals + 1)), source,
                     "environment " + variable});
  }
  return batch;
}

Result<Batch> parse_command_line(const std::string& text) {
  Batch batch;
  for (const auto& entry : split(text, kSeparator)) {
    std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      return make_error(Errc::kInvalid, "command line: \"{}\" is not name=value", entry);
    }
    batch.push_back(
        {entry.substr(0, equals), entry.substr(equals + 1), Source::kCommandLine, "command line"});
  }
  return batch;
}

Result<std::vector<Batch>> read_all_sources() {
  std::vector<Batch> batches;
  auto files = system_files("mca-params.conf", "HAWSER_SYSTEM_PARAMS");
  if (auto ok = add_files(batches, files, Source::kSystemFile, IfAbsent::kSkip); !ok) return ok.error();
  std::string own = user_folder();
  if (!own.empty())
    files = {own + "/mca-params.conf"};
  else
    files.clear();
  if (auto ok = add_files(batches, files, Source::kUserFile, IfAbsent::kSkip); !ok) return ok.error();
  files = split(trusted_environment("HAWSER_LAUNCH_TUNE"), ':');
  if (auto ok = add_files(batches, files, Source::kTuneFile, IfAbsent::kFail); !ok) return ok.error();
  batches.push_back(read_environment(::environ, "OMPI_MCA_", Source::kOmpiEnvironment));
  batches.push_back(read_environment(::environ, "HAWSER_MCA_", Source::kEnvironment));
  auto line = parse_command_line(trusted_environment("HAWSER_LAUNCH_MCA"));
  if (!line) return line.error();
  batches.push_back(std::move(*line));
  files = system_files("mca-params-override.conf", "HAWSER_OVERRIDE_PARAMS");
  if (auto ok = add_files(batches, files, Source::kOverrideFile, IfAbsent::kSkip); !ok) return ok.error();
  return batches;
}

}  // namespace hawser::mca
