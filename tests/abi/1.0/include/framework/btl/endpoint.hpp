// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hawser::btl {

/// A peer as one module sees it. Opaque to all but its component, which owns it; built before the peer is
/// published. Freed after Component::release_peer, or at close if it went away with a change of rails.
class Endpoint {
 protected:
  Endpoint() = default;
  ~Endpoint() = default;
};

}  // namespace hawser::btl
