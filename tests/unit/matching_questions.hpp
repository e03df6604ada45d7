// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "framework/matching/matching.hpp"

namespace hawser::matching::testing {

using interfaces::IpAddress;

inline Candidate at(std::uint32_t nic, const std::string& address, unsigned prefix,
                    std::uint32_t properties = 0, std::uint32_t speed = 10'000) {
  Candidate c;
  c.nic = nic;
  c.address = *IpAddress::parse(address);
  c.prefix = prefix;
  c.properties = properties;
  c.speed_mbps = speed;
  return c;
}

inline interfaces::Route route(const std::string& network, unsigned prefix, std::uint32_t nic,
                               bool direct = false) {
  return {*IpAddress::parse(network), prefix, nic, direct};
}

inline std::string text(const Question& question) {
  std::string result;
  for (const Pair& pair : match(question).pairs) {
    result +=
        question.ours[pair.ours].address.text() + "-" + question.theirs[pair.theirs].address.text() + " ";
  }
  return result;
}

inline Verdict verdict_of(const Question& question, std::size_t ours, std::size_t theirs) {
  for (const Judged& judged : match(question).judged) {
    if (judged.ours == ours && judged.theirs == theirs) return judged.verdict;
  }
  ADD_FAILURE() << "not judged";
  return Verdict::kPaired;
}

}  // namespace hawser::matching::testing
