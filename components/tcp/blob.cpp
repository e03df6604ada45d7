// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/blob.hpp"

#include "framework/base/wire.hpp"

namespace hawser::tcp {
namespace {

void put_ip(WireWriter& out, const interfaces::IpAddress& address) {
  out.put(address.family);
  out.put_bytes(address.bytes.data(), address.bits() / 8);
}

bool get_ip(WireReader& in, interfaces::IpAddress& address) {
  address.family = in.get<interfaces::Family>();
  if (address.family != interfaces::Family::kV4 && address.family != interfaces::Family::kV6) return false;
  return in.take(address.bytes.data(), address.bits() / 8);
}

void put_route(WireWriter& out, const interfaces::Route& route) {
  put_ip(out, route.network);
  out.put(static_cast<std::uint8_t>(route.prefix));
  out.put(route.interface);
  out.put(static_cast<std::uint8_t>(route.direct));
}

bool get_route(WireReader& in, interfaces::Route& route) {
  if (!get_ip(in, route.network)) return false;
  route.prefix = in.get<std::uint8_t>();
  route.interface = in.get<std::uint32_t>();
  const auto direct = in.get<std::uint8_t>();
  route.direct = direct != 0;
  return in.ok() && route.prefix <= route.network.bits() && direct <= 1;
}

void put_address(WireWriter& out, const Published& address) {
  const matching::Candidate& c = address.candidate;
  put_ip(out, c.address);
  out.put(static_cast<std::uint8_t>(c.prefix));
  out.put(address.port);
  out.put(address.first_module);
  out.put(c.nic);
  out.put(c.speed_mbps);
  out.put(c.properties);
  out.put(c.locality);
  out.put_text(address.name);
}

bool get_address(WireReader& in, Published& address) {
  matching::Candidate& c = address.candidate;
  if (!get_ip(in, c.address)) return false;
  c.prefix = in.get<std::uint8_t>();
  address.port = in.get<std::uint16_t>();
  address.first_module = in.get<std::uint16_t>();
  c.nic = in.get<std::uint32_t>();
  c.speed_mbps = in.get<std::uint32_t>();
  c.properties = in.get<std::uint32_t>();
  c.locality = in.get<interfaces::Locality>();
  address.name = in.get_text();
  return in.ok() && c.prefix <= c.address.bits() && c.locality <= interfaces::Locality::kFar &&
         address.port != 0;
}

}  // namespace

bool Blob::offers(std::uint16_t module) const noexcept {
  for (const Published& address : addresses) {
    if (module >= address.first_module && module - address.first_module < links) return true;
  }
  return false;
}

std::string encode(const Blob& blob) {
  WireWriter out;
  out.put(kBlobVersion);
  out.put(blob.incarnation);
  out.put(blob.generation);
  out.put(blob.links);
  out.put(blob.largest);
  out.put(static_cast<std::uint16_t>(blob.addresses.size()));
  out.put(static_cast<std::uint16_t>(blob.routes.size()));
  for (const Published& address : blob.addresses) put_address(out, address);
  for (const interfaces::Route& route : blob.routes) put_route(out, route);
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
  blob.generation = in.get<std::uint32_t>();
  blob.links = in.get<std::uint16_t>();
  blob.largest = in.get<std::uint64_t>();
  const std::size_t count = in.get<std::uint16_t>();
  const std::size_t routes = in.get<std::uint16_t>();
  if (!in.ok() || count > kMaxAddresses || routes > interfaces::kMaxRoutes || blob.links == 0 ||
      blob.links > kMaxLinks || blob.largest == 0 || blob.largest > kMaxMessage) {
    return make_error(Errc::kProtocol, "its tcp addresses cannot be read ({} bytes)", bytes.size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    Published address;
    if (!get_address(in, address) || address.first_module + blob.links > UINT16_MAX) {
      return make_error(Errc::kProtocol, "tcp address {} of {} cannot be read", i + 1, count);
    }
    blob.addresses.push_back(std::move(address));
  }
  for (std::size_t i = 0; i < routes; ++i) {
    interfaces::Route route;
    if (!get_route(in, route))
      return make_error(Errc::kProtocol, "route {} of {} cannot be read", i + 1, routes);
    blob.routes.push_back(route);
  }
  if (!in.done()) return make_error(Errc::kProtocol, "{} bytes too many after its tcp addresses", in.left());
  return blob;
}

}  // namespace hawser::tcp
