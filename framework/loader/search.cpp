// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/loader/search.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "framework/mca/sources.hpp"

namespace hawser::loader {

namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(folder, error);
  if (error) path = fs::absolute(folder, error);
  return error ? folder : path.string();
}

bool trusted_owner(uid_t owner) {
  if (owner == 0 || owner == ::geteuid()) return true;
  struct stat library {};
  return ::stat(mca::library_file().c_str(), &library) == 0 && library.st_uid == owner;
}

/// A group with the number of its only user, as Debian makes them; root's is root's.
bool private_group(gid_t group, uid_t owner) {
  return group == 0 || group == owner;
}

}  // namespace

std::vector<std::string> search_folders(const std::string& component_path) {
  std::vector<std::string> folders;
  auto add = [&](const std::string& folder) {
    if (folder.empty()) return;
    std::string full = absolute(folder);
    if (std::ranges::find(folders, full) == folders.end()) folders.push_back(std::move(full));
  };
  std::string_view rest = component_path;
  while (!rest.empty()) {
    std::size_t end = rest.find(':');
    add(std::string(rest.substr(0, end)));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  std::string user = mca::user_folder();
  if (!user.empty()) add(user + "/components");
  std::string library = mca::library_folder();
  if (!library.empty()) add(library + "/hawser");
  return folders;
}

Result<void> check_trust(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return system_error(path, errno);
  if (!trusted_owner(info.st_uid)) {
    return make_error(Errc::kPermission, "{} belongs to user {}, who is neither this user nor root; chown it",
                      path, info.st_uid);
  }
  bool others = (info.st_mode & S_IWOTH) != 0;
  bool group = (info.st_mode & S_IWGRP) != 0 && !private_group(info.st_gid, info.st_uid);
  if (!others && !group) return {};
  return make_error(Errc::kPermission, "{} can be written by {} (mode {:04o}); chmod {} it", path,
                    others ? "everybody" : "its group", info.st_mode & 07777u, others ? "go-w" : "g-w");
}

std::vector<PluginFile> plugin_files(const std::string& folder) {
  constexpr std::string_view kBefore = "hawser_btl_";
  constexpr std::string_view kAfter = ".so";
  std::vector<PluginFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string file = entry->path().filename().string();
    bool fits =
        file.size() > kBefore.size() + kAfter.size() && file.starts_with(kBefore) && file.ends_with(kAfter);
    if (!fits) continue;
    files.push_back(
        {file.substr(kBefore.size(), file.size() - kBefore.size() - kAfter.size()), entry->path().string()});
  }
  std::ranges::sort(files, {}, &PluginFile::name);
  return files;
}

}  // namespace hawser::loader
