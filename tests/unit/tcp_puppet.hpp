// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <optional>

#include "tests/unit/tcp_fake_job.hpp"

namespace hawser::tcp::testing {

inline Fd connect_to(std::uint16_t port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = htons(port);
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&in), sizeof in), 0);
  return fd;
}

inline void put(int fd, const void* data, std::size_t size) {
  ASSERT_EQ(::send(fd, data, size, MSG_NOSIGNAL), static_cast<ssize_t>(size));
}

/// The peer of a rank, played by the test with plain sockets: a listener, and any number of connections.
class Puppet {
 public:
  Puppet(FakeJob& job, std::uint32_t rank)
      : shared_(job), job_(job.of(rank)), notary_(job_), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&in), sizeof in), 0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    blob.incarnation = 77;
    blob.largest = 4 << 20;
    add_address();
    publish();
  }
  /// Another address, which is the same one: a further module, the next index.
  void add_address() {
    Published address;
    address.candidate.address = *interfaces::IpAddress::parse("127.0.0.1");
    address.candidate.prefix = 8;
    address.candidate.nic = static_cast<std::uint32_t>(blob.addresses.size()) + 1;
    address.candidate.properties = interfaces::kLoopback | interfaces::kNamed;
    address.port = interfaces::port_of(listener_.get());
    address.first_module = static_cast<std::uint16_t>(blob.addresses.size());
    address.name = "lo";
    blob.addresses.push_back(address);
  }
  void publish() {
    const std::lock_guard lock(shared_.mutex);
    shared_.blobs[{job_.rank, kBlobKey}] = encode(blob);
  }
  /// Waits for the next connection; the ranks make progress meanwhile.
  Fd accept(Rank& rank) {
    Fd fd;
    drive({&rank}, [&] {
      fd.reset(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK));
      return static_cast<bool>(fd);
    });
    EXPECT_TRUE(fd);
    return fd;
  }
  void stop_listening() { listener_.reset(); }
  void start_nonblocking() { ::fcntl(listener_.get(), F_SETFL, O_NONBLOCK); }

  template <class Bytes>
  bool read(Rank& rank, int fd, Bytes& bytes) {
    std::size_t done = 0;
    bool end = false;
    drive({&rank}, [&] {
      const ssize_t got = ::recv(fd, bytes.data() + done, bytes.size() - done, MSG_DONTWAIT);
      if (got > 0) done += static_cast<std::size_t>(got);
      end = got == 0 || (got < 0 && errno != EAGAIN);
      return end || done == bytes.size();
    });
    return done == bytes.size();
  }
  /// Of the rank's first module, to the first module of `to`.
  Hello plain_hello(std::uint32_t to) const {
    const Blob theirs = shared_.published(to);
    return {job_.id,
            job_.rank,
            to,
            blob.incarnation,
            theirs.incarnation,
            blob.generation,
            theirs.generation,
            0,
            theirs.addresses[0].first_module,
            make_nonce(),
            ++dialled_};
  }
  HelloBytes hello(const FakeJob&, std::uint32_t to) const { return notary_.write_hello(plain_hello(to)); }
  /// What `rank` answers to that hello on a fresh connection.
  std::optional<Reply> ask(Rank& rank, const Hello& hello) {
    Fd fd = connect_to(shared_.published(rank.job().rank).addresses[0].port);
    const HelloBytes bytes = notary_.write_hello(hello);
    put(fd.get(), bytes.data(), bytes.size());
    AnswerBytes answer;
    if (!read(rank, fd.get(), answer)) return std::nullopt;
    const auto read = notary_.read_answer(bytes, answer);
    return read ? std::optional(read->reply) : std::nullopt;
  }
  /// A connection to `rank` that is ready for frames.
  Fd call(Rank& rank, const Hello& hello) {
    Fd fd = connect_to(shared_.published(rank.job().rank).addresses[0].port);
    const HelloBytes bytes = notary_.write_hello(hello);
    put(fd.get(), bytes.data(), bytes.size());
    AnswerBytes answer{};
    EXPECT_TRUE(read(rank, fd.get(), answer));
    const ProofBytes proof = notary_.write_proof(bytes, answer);
    put(fd.get(), proof.data(), proof.size());
    const auto accepted = rank.count(Counter::kAccepted);
    EXPECT_TRUE(drive({&rank}, [&] { return rank.count(Counter::kAccepted) == accepted + 1; }));
    return fd;
  }
  const Notary& notary() const { return notary_; }
  AnswerBytes welcome(const HelloBytes& hello) const {
    return notary_.write_answer(hello, {Reply::kWelcome, make_nonce(), dialled_});
  }

  Blob blob;  // what it publishes

 private:
  FakeJob& shared_;
  btl::Job job_;
  Notary notary_;
  Fd listener_;
  mutable std::uint64_t dialled_ = 0;
};

}  // namespace hawser::tcp::testing
