// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/silence.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace hawser::tcp {

bool read_line_state(int fd, LineState& line) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  line = {info.tcpi_unacked, info.tcpi_retransmits, info.tcpi_probes, info.tcpi_last_ack_recv};
  return true;
}

}  // namespace hawser::tcp
