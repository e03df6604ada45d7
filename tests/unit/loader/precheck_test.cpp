// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Whatever a file holds, looking at it does no harm and gives a reason.
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

#include "framework/btl/abi.hpp"
#include "framework/loader/precheck.hpp"
#include "tests/unit/loader/fixture.hpp"

namespace hawser::loader {
namespace {

using testing::HasSubstr;

class PrecheckTest : public LoaderTest {
 protected:
  std::string content(const std::string& name) {
    std::ifstream file(built(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static Result<void> check(const std::string& path) { return precheck(path, HAWSER_BTL_SYMBOL_NAME, 24); }
  std::string reason(const std::string& bytes) {
    auto ok = check(scratch_.write("file.so", bytes));
    return ok ? "" : ok.error().text;
  }
};

TEST_F(PrecheckTest, GoodOne) {
  EXPECT_EQ(reason(content("good")), "");
}

TEST_F(PrecheckTest, NoSharedLibrary) {
  EXPECT_EQ(reason(""), "is empty");
  EXPECT_EQ(reason("#!/bin/sh\necho a text file\n"), "is not a shared library (no ELF header)");
  EXPECT_EQ(reason(std::string(10'000, 'x')), "is not a shared library (no ELF header)");
  EXPECT_EQ(reason("\x7f"
                   "ELF"),
            "is cut off within its ELF header");
  EXPECT_THAT(check(scratch_.path("")).error().text, HasSubstr("is not a regular file"));
  EXPECT_THAT(check(scratch_.path("absent")).error().text, HasSubstr("cannot be read"));
  ASSERT_EQ(::mkfifo(scratch_.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(check(scratch_.path("pipe")).error().text, HasSubstr("is not a regular file"));
  EXPECT_THAT(check("/dev/zero").error().text, HasSubstr("is not a regular file"));
}

TEST_F(PrecheckTest, Unreadable) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can read everything";
  std::string path = scratch_.write("file.so", content("good"));
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  EXPECT_THAT(check(path).error().text, HasSubstr("cannot be read: Permission denied"));
}

TEST_F(PrecheckTest, AnotherMachineOrKind) {
  std::string bytes = content("good");
  std::string machine = bytes;
  machine[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(0x77);
  EXPECT_EQ(reason(machine), "is a library for another kind of machine");
  std::string wide = bytes;
  wide[EI_CLASS] = wide[EI_CLASS] == ELFCLASS64 ? ELFCLASS32 : ELFCLASS64;
  EXPECT_EQ(reason(wide), "is a library for another kind of machine");
  std::string type = bytes;
  type[offsetof(Elf64_Ehdr, e_type)] = ET_REL;
  EXPECT_EQ(reason(type), "is an ELF file, but not a shared library");
}

TEST_F(PrecheckTest, StrippedOneIsFine) {
  std::string path = scratch_.write("stripped.so", content("good"));
  ASSERT_EQ(std::system(("strip '" + path + "'").c_str()), 0);
  auto ok = check(path);
  EXPECT_TRUE(ok) << ok.error().text;
}

TEST_F(PrecheckTest, CutOffAnywhere) {
  const std::string bytes = content("good");
  std::mt19937 random(1);
  // Every length near the start, where the tables' heads are, and many others.
  for (std::size_t size = 0; size < bytes.size(); size += size < 1024 ? 7 : 1 + random() % 4096) {
    EXPECT_NE(reason(bytes.substr(0, size)), "") << size << " of " << bytes.size();
  }
}

TEST_F(PrecheckTest, DamagedAnywhere) {
  const std::string bytes = content("good");
  std::mt19937 random(2);
  std::size_t header = sizeof(Elf64_Ehdr);
  Elf64_Ehdr head;
  std::memcpy(&head, bytes.data(), sizeof head);
  std::size_t table = head.e_shnum * sizeof(Elf64_Shdr);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = bytes;
    // The header, the section table, and anywhere.
    std::size_t at = round % 3 == 0   ? random() % header
                     : round % 3 == 1 ? head.e_shoff + random() % table
                                      : random() % bytes.size();
    for (std::size_t i = 0; i < 8 && at + i < damaged.size(); ++i)
      damaged[at + i] = static_cast<char>(random());
    refused += reason(damaged).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 0);
}

// What no look can find, the loading of the system does; a file that passed neither harms nor is used.
TEST_F(LoaderTest, TextAndTruncatedFilesThroughTheLoader) {
  scratch_.write("first/hawser_btl_text.so", "this is a text");
  std::ifstream file(built("good"), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  scratch_.write("first/hawser_btl_half.so", bytes.substr(0, bytes.size() / 2));
  ASSERT_TRUE(discover());
  EXPECT_EQ(at(folder_ + "/hawser_btl_text.so").reason, "is not a shared library (no ELF header)");
  EXPECT_THAT(at(folder_ + "/hawser_btl_half.so").reason, HasSubstr("is cut off or damaged"));
}

}  // namespace
}  // namespace hawser::loader
