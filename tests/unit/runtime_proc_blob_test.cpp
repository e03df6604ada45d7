// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/proc_blob.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

namespace hawser::runtime {
namespace {

TEST(ProcBlob, SaysWhoAndWhereThisProcessIs) {
  const btl::Proc self = this_proc(3);
  EXPECT_EQ(self.rank, 3u);
  EXPECT_EQ(self.pid, static_cast<std::uint32_t>(::getpid()));
  EXPECT_NE(self.host[0], '\0');
  EXPECT_TRUE(btl::same_node(self, this_proc(4)));
  EXPECT_NE(self.incarnation, this_proc(3).incarnation);
}

TEST(ProcBlob, IsReadAsItWasWritten) {
  const btl::Proc self = this_proc(5);
  auto read = read_proc(5, write_proc(self));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(std::memcmp(&*read, &self, sizeof self), 0);
}

TEST(ProcBlob, EveryCutAndEveryLongerBlobIsAnErrorThatNamesTheRank) {
  const std::string blob = write_proc(this_proc(5));
  for (std::size_t size = 0; size < blob.size(); ++size) {
    auto read = read_proc(5, blob.substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, Errc::kProtocol);
    EXPECT_NE(read.error().text.find("rank 5"), std::string::npos);
  }
  EXPECT_FALSE(read_proc(5, blob + "x"));
}

TEST(ProcBlob, AnotherRanksBlobAndATooLongHostAreErrors) {
  btl::Proc proc = this_proc(5);
  EXPECT_FALSE(read_proc(6, write_proc(proc)));
  std::string blob = write_proc(proc);
  const std::size_t host = std::strlen(proc.host);
  blob.resize(blob.size() - host - 2);
  blob += std::string("\x40\x00", 2) + std::string(64, 'h');
  EXPECT_FALSE(read_proc(5, blob));
}

TEST(ProcBlob, AHostsNameWithAZeroByteIsAnError) {
  std::string blob = write_proc(this_proc(5));
  blob.back() = '\0';
  EXPECT_FALSE(read_proc(5, blob));
}

TEST(ProcBlob, AnotherVersionIsToldAsThat) {
  std::string blob = write_proc(this_proc(5));
  blob[0] = 9;
  auto read = read_proc(5, blob);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kVersion);
}

}  // namespace
}  // namespace hawser::runtime
