// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/blob.hpp"

#include "framework/base/wire.hpp"

namespace hawser::tcp {
namespace {

void put_address(WireWriter& out, const Published& address) {
  const matching::Candidate& c = address.candidate;
  out.put(c.address.family);
  out.put_bytes(c.address.bytes.data(), c.address.family == interfaces::Family::kV4 ? 4 : 16);
  out.put(static_cast<std::uint8_t>(c.prefix));
  out.put(address.port);
  out.put(c.nic);
  out.put(c.speed_mbps);
  out.put(c.properties);
  out.put(c.locality);
  out.put_text(address.name);
}

bool get_address(WireReader& in, Published& address) {
  matching::Candidate& c = address.candidate;
  c.address.family = in.get<interfaces::Family>();
  if (c.address.family != interfaces::Family::kV4 && c.address.family != interfaces::Family::kV6)
    return false;
  in.take(c.address.bytes.data(), c.address.family == interfaces::Family::kV4 ? 4 : 16);
  c.prefix = in.get<std::uint8_t>();
  address.port = in.get<std::uint16_t>();
  c.nic = in.get<std::uint32_t>();
  c.speed_mbps = in.get<std::uint32_t>();
  c.properties = in.get<std::uint32_t>();
  c.locality = in.get<interfaces::Locality>();
  address.name = in.get_text();
  return in.ok() && c.prefix <= c.address.bits() && c.locality <= interfaces::Locality::kFar &&
         address.port != 0;
}

}  // namespace

std::string encode(const Blob& blob) {
  WireWriter out;
  out.put(kBlobVersion);
  out.put(blob.incarnation);
  out.put(blob.links);
  out.put(static_cast<std::uint16_t>(blob.addresses.size()));
  for (const Published& address : blob.addresses) put_address(out, address);
  return out.take();
}

Result<Blob> decode(std::string_view bytes) {
  WireReader in(bytes.data(), bytes.size());
  const auto version = in.get<std::uint16_t>();
  if (in.ok() && version != kBlobVersion) {
    return make_error(Errc::kVersion, "its tcp addresses are of version {}, ours of version {}", version,
                      kBlobVersion);
  }
  Blob blob;
  blob.incarnation = in.get<std::uint64_t>();
  blob.links = in.get<std::uint16_t>();
  const std::size_t count = in.get<std::uint16_t>();
  if (!in.ok() || count > kMaxAddresses || blob.links == 0 || blob.links > kMaxLinks) {
    return make_error(Errc::kProtocol, "its tcp addresses cannot be read ({} bytes)", bytes.size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    Published address;
    if (!get_address(in, address)) {
      return make_error(Errc::kProtocol, "tcp address {} of {} cannot be read", i + 1, count);
    }
    blob.addresses.push_back(std::move(address));
  }
  if (!in.done()) return make_error(Errc::kProtocol, "{} bytes too many after its tcp addresses", in.left());
  return blob;
}

}  // namespace hawser::tcp
