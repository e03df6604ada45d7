// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/loader/precheck.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "framework/base/fd.hpp"

namespace hawser::loader {

namespace {

// Boost.DLL's library_info is not used here: its ELF reader takes the last string table of the file for that
// of the symbols, reads only the table that stripping removes, and checks no bounds.

using Header = ElfW(Ehdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

Error refuse(const char* what) {
  return make_error(Errc::kInvalid, "{}", what);
}

struct File {
  Fd fd;
  std::uint64_t size = 0;

  /// Whole or nothing; nothing beyond the end of the file.
  bool read(std::uint64_t offset, void* out, std::uint64_t count) const {
    if (offset > size || count > size - offset) return false;
    auto* to = static_cast<char*>(out);
    while (count > 0) {
      auto got = retry_eintr([&] { return ::pread(fd.get(), to, count, static_cast<off_t>(offset)); });
      if (got <= 0) return false;
      to += got;
      offset += static_cast<std::uint64_t>(got);
      count -= static_cast<std::uint64_t>(got);
    }
    return true;
  }
};

Result<File> open_file(const std::string& path) {
  // O_NONBLOCK: the open of a named pipe must not wait.
  File file{Fd(retry_eintr([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); })), 0};
  if (!file.fd) return system_error("cannot be read", errno);
  struct stat info {};
  if (::fstat(file.fd.get(), &info) != 0) return system_error("cannot be read", errno);
  if (!S_ISREG(info.st_mode)) return refuse("is not a regular file");
  file.size = static_cast<std::uint64_t>(info.st_size);
  return file;
}

Result<Header> check_header(const File& file) {
  Header header{};
  if (file.size == 0) return refuse("is empty");
  if (!file.read(0, &header, sizeof header)) {
    char magic[SELFMAG] = {};
    bool elf = file.read(0, magic, sizeof magic) && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
    return refuse(elf ? "is cut off within its ELF header" : "is not a shared library (no ELF header)");
  }
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return refuse("is not a shared library (no ELF header)");
  Header own{};
  // This program's own header says what fits this machine.
  File self{Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), sizeof own};
  if (!self.fd || !self.read(0, &own, sizeof own))
    return refuse("cannot be compared with this program's ELF header");
  bool fits = header.e_ident[EI_CLASS] == own.e_ident[EI_CLASS] &&
              header.e_ident[EI_DATA] == own.e_ident[EI_DATA] && header.e_machine == own.e_machine;
  if (!fits) return refuse("is a library for another kind of machine");
  if (header.e_type != ET_DYN) return refuse("is an ELF file, but not a shared library");
  return header;
}

Result<std::vector<Section>> read_sections(const File& file, const Header& header) {
  if (header.e_shoff == 0 || header.e_shnum == 0)
    return refuse("has no section table, so its symbols cannot be seen");
  if (header.e_shentsize != sizeof(Section)) return refuse("has a damaged section table");
  std::vector<Section> sections(header.e_shnum);
  if (!file.read(header.e_shoff, sections.data(), sections.size() * sizeof(Section))) {
    return refuse("is cut off or damaged: its section table lies beyond its end");
  }
  return sections;
}

/// Every byte that the system's loader would map is in the file; else it would crash with SIGBUS.
Result<void> check_segments(const File& file, const Header& header) {
  if (header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phnum == 0)
    return refuse("has a damaged program header");
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  if (!file.read(header.e_phoff, segments.data(), segments.size() * sizeof(ElfW(Phdr)))) {
    return refuse("is cut off or damaged: its program header lies beyond its end");
  }
  for (const auto& segment : segments) {
    if (segment.p_type != PT_LOAD) continue;
    bool inside = segment.p_offset <= file.size && segment.p_filesz <= file.size - segment.p_offset;
    if (!inside) return refuse("is cut off or damaged: a segment lies beyond its end");
  }
  return {};
}

bool exported(const Symbol& symbol) {
  return ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && symbol.st_shndx != SHN_UNDEF &&
         (ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT ||
          ELF64_ST_VISIBILITY(symbol.st_other) == STV_PROTECTED);
}

std::string_view text_at(const std::vector<char>& names, std::size_t at) {
  if (at >= names.size()) return {};
  std::string_view rest(names.data() + at, names.size() - at);
  return rest.substr(0, rest.find('\0'));
}

bool named(const Symbol& symbol, const std::vector<char>& names, std::string_view wanted) {
  return text_at(names, symbol.st_name) == wanted;
}

struct Table {
  std::vector<Symbol> symbols;
  std::vector<char> names;
};

Result<Table> read_symbols(const File& file, const std::vector<Section>& sections) {
  for (const Section& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const Section& text = sections[section.sh_link];
    bool inside = section.sh_size <= file.size && text.sh_size <= file.size;
    if (!inside) return refuse("is cut off or damaged: its symbol table is larger than itself");
    Table table{std::vector<Symbol>(section.sh_size / sizeof(Symbol)), std::vector<char>(text.sh_size)};
    bool read = file.read(section.sh_offset, table.symbols.data(), table.symbols.size() * sizeof(Symbol)) &&
                file.read(text.sh_offset, table.names.data(), table.names.size());
    if (!read) return refuse("is cut off or damaged: its symbol table lies beyond its end");
    return table;
  }
  return refuse("has no table of exported symbols");
}

/// All that is looked at before a symbol is: the file is whole, and fits this machine.
Result<Table> symbols_of(const std::string& path) {
  auto file = open_file(path);
  if (!file) return file.error();
  auto header = check_header(*file);
  if (!header) return header.error();
  if (auto ok = check_segments(*file, *header); !ok) return ok.error();
  auto sections = read_sections(*file, *header);
  if (!sections) return sections.error();
  return read_symbols(*file, *sections);
}

}  // namespace

Result<void> precheck(const std::string& path, const char* symbol, std::size_t size) {
  auto table = symbols_of(path);
  if (!table) return table.error();
  for (const Symbol& one : table->symbols) {
    if (!exported(one) || !named(one, table->names, symbol)) continue;
    bool fits = ELF64_ST_TYPE(one.st_info) == STT_OBJECT && one.st_size >= size;
    if (fits) return {};
    return make_error(Errc::kVersion, "exports {}, but it is no component descriptor", symbol);
  }
  return make_error(Errc::kNotFound, "is a shared library, but no component: it does not export {}", symbol);
}

Result<std::vector<std::string>> exported_symbols(const std::string& path) {
  auto table = symbols_of(path);
  if (!table) return table.error();
  std::vector<std::string> names;
  for (const Symbol& one : table->symbols) {
    if (exported(one)) names.emplace_back(text_at(table->names, one.st_name));
  }
  return names;
}

}  // namespace hawser::loader
