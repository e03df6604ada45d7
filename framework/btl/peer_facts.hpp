// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "framework/base/result.hpp"
#include "framework/btl/component.hpp"

// What the host knows of a rank, as a Result with words. As the host's own calls: they may block up to the
// modex's deadline, any thread, no lock held.
namespace hawser::btl {

/// The process of that rank; kNotFound: nothing is known of it.
inline Result<const Proc*> proc_of(Host& host, std::uint32_t rank) {
  char why[kReasonSize] = "";
  if (const Proc* proc = host.proc(rank, why, sizeof why)) return proc;
  return make_error(Errc::kNotFound, "nothing is known of rank {}: {}", rank, why);
}

/// Likewise, for a component that reaches other processes of this node: kUnreachable, if that rank is our
/// own, or does not share kernel, network and process namespaces with us.
inline Result<const Proc*> local_proc(Host& host, std::uint32_t rank) {
  const std::uint32_t own_rank = host.job().rank;
  if (rank == own_rank)
    return make_error(Errc::kUnreachable, "it does not reach the own process; component \"self\" does");
  auto own = proc_of(host, own_rank);
  if (!own) return own;
  auto proc = proc_of(host, rank);
  if (!proc || same_node(**own, **proc)) return proc;
  return make_error(
      Errc::kUnreachable,
      "rank {} on {} does not share kernel, network and process namespaces with this process on {}", rank,
      (*proc)->host, (*own)->host);
}

/// Offers `value` to all ranks under `key`, as its bytes: for processes of one machine, and one build.
template <class T>
Result<void> publish(Host& host, const char* key, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const Errc status = host.modex_put(key, &value, sizeof value);
  if (status == Errc::kOk) return {};
  return make_error(status, "the address cannot be published: {}", to_text(status));
}

/// What `rank` published so. kUnreachable: nothing, so it does not use the component. kVersion: it has
/// another size. Its values are those of another process: check them.
template <class T>
Result<T> published_by(Host& host, std::uint32_t rank, const char* key) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::size_t size = 0;
  const Errc status = host.modex_get(rank, key, &value, sizeof value, &size);
  if (status == Errc::kNotFound)
    return make_error(Errc::kUnreachable,
                      "rank {} published no {}: the component is not selected there, or could not open", rank,
                      key);
  if (status == Errc::kTruncated || (status == Errc::kOk && size != sizeof value))
    return make_error(Errc::kVersion, "rank {} uses another version of {}", rank, key);
  if (status != Errc::kOk) return make_error(status, "{} of rank {}: {}", key, rank, to_text(status));
  return value;
}

}  // namespace hawser::btl
