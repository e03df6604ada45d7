// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/top/process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <sstream>
#include <string_view>

#include "framework/live/layout.hpp"
#include "tools/topo/host.hpp"

namespace hawser::tools {

namespace {

/// As much as there is: the process may go while we read.
std::string file_text(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char block[4096];
  for (ssize_t size = 1; file && size > 0;) {
    size = retry_eintr([&] { return ::read(file.get(), block, sizeof block); });
    if (size > 0) text.append(block, static_cast<std::size_t>(size));
  }
  return text;
}

struct CloseFolder {
  void operator()(DIR* dir) const noexcept { ::closedir(dir); }
};

struct Folder {
  explicit Folder(const std::string& path) : dir(::opendir(path.c_str())), failed(errno) {}
  std::unique_ptr<DIR, CloseFolder> dir;
  int failed;  // errno, if `dir` is null

  template <class Visit>
  void for_each(Visit&& visit) {
    while (const dirent* entry = ::readdir(dir.get())) {
      if (std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) visit(entry->d_name);
    }
  }
};

std::string program_of(const std::string& folder, const std::string& short_name) {
  const std::string words = file_text(folder + "/cmdline");
  const std::string first = words.substr(0, words.find('\0'));
  return clean(first.empty() ? short_name : first.substr(first.rfind('/') + 1));
}

/// The fields after the name, which may hold blanks and brackets itself.
bool read_stat(const std::string& text, Process& process, std::string& name) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return false;
  name = text.substr(open + 1, close - open - 1);
  std::istringstream rest(text.substr(close + 1));
  std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  if (fields.size() < 20) return false;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto number = [&](std::size_t i) { return std::strtod(fields[i].c_str(), nullptr); };
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  process.state = fields[0][0];
  process.parent = static_cast<pid_t>(number(1));
  process.cpu_seconds = (number(11) + number(12)) / ticks;
  process.age_seconds = std::max(0.0, static_cast<double>(boot.tv_sec) - number(19) / ticks);
  return true;
}

/// The number of the descriptor that the memory file has there; "": none has it.
std::string live_descriptor(Folder& folder, const std::string& path) {
  const std::string wanted = fmt::format("/memfd:{} (deleted)", live::kFileName);
  std::string found;
  folder.for_each([&](const char* number) {
    char target[128];
    const ssize_t size = ::readlink((path + "/" + number).c_str(), target, sizeof target);
    if (size > 0 && std::string_view(target, static_cast<std::size_t>(size)) == wanted) found = number;
  });
  return found;
}

}  // namespace

std::optional<Process> read_process(pid_t pid) {
  const std::string folder = fmt::format("/proc/{}", pid);
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return std::nullopt;
  Process process;
  process.pid = pid;
  process.user = info.st_uid;
  std::string name;
  if (!read_stat(file_text(folder + "/stat"), process, name)) return std::nullopt;
  process.program = program_of(folder, name);
  return process;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  Folder folder("/proc");
  if (folder.dir) folder.for_each([&](const char* name) { pids.push_back(std::atoi(name)); });
  return pids;
}

Result<Fd> open_live(const Process& process) {
  const std::string path = fmt::format("/proc/{}/fd", process.pid);
  const auto denied = [&] {
    return make_error(Errc::kPermission,
                      "process {} ({}) belongs to user {}, and the system does not let user {} look at it",
                      process.pid, process.program, user_text(process.user), user_text(::geteuid()));
  };
  Folder folder(path);
  if (!folder.dir && folder.failed == EACCES) return denied();
  const std::string number = folder.dir ? live_descriptor(folder, path) : "";
  if (number.empty()) {
    return make_error(Errc::kNotFound, "process {} ({}) is no rank of a Hawser job", process.pid,
                      process.program);
  }
  // It may have become something else since: to open a pipe would wait for its writer.
  Fd file(::open((path + "/" + number).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file) return file;
  if (errno == EACCES || errno == EPERM) return denied();
  return make_error(Errc::kNotFound, "process {} ({}) has just gone", process.pid, process.program);
}

std::string user_text(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry ? fmt::format("{} ({})", entry->pw_name, user) : fmt::format("{}", user);
}

}  // namespace hawser::tools
