// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What a stranger or a broken peer may send is refused: how-to, section 12.
#include "wire.hpp"

int main() {
  using namespace btl_ferry;
  const btl::Job job{.id = 7, .size = 4, .rank = 1, .local_size = 4, .cores = 1, .secret = {}};
  const bool hellos = Hello{.job = 7, .from = 2, .to = 1}.is_for(job) &&
                      !Hello{.magic = 1, .job = 7, .from = 2, .to = 1}.is_for(job) &&
                      !Hello{.job = 8, .from = 2, .to = 1}.is_for(job) &&
                      !Hello{.job = 7, .from = 4, .to = 1}.is_for(job) &&
                      !Hello{.job = 7, .from = 1, .to = 1}.is_for(job);
  const bool frames = Frame{.size = 92}.is_sane(100) && !Frame{.size = 93}.is_sane(100) &&
                      !Frame{.size = UINT32_MAX}.is_sane(100) && !Frame{.header_size = 89}.is_sane(1000);
  return hellos && frames ? 0 : 1;
}
