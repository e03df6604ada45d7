// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// How requests stand, without completing them.

#include <algorithm>

#include "mpi/binding.hpp"
#include "mpi/errors.hpp"
#include "mpi/persistent.hpp"
#include "mpi/requests.hpp"

namespace hawser::mpi {

namespace {

bool counts(MPI_Request handle) noexcept {
  const pml::Request* request = object_of(handle);
  return request && is_active(*request);
}

bool is_done(MPI_Request handle) noexcept {
  return object_of(handle)->done();
}

void show(MPI_Status* status, MPI_Request handle) noexcept {
  const pml::Request* request = object_of(handle);
  fill(status, request ? request->status() : pml::Status{});
}

/// Whether `look` finds something, the second time after progress was made.
template <class Look>
bool look_twice(Look&& look) noexcept {
  if (look()) {
    settle();
    return true;
  }
  library().pml->progress();
  return look();
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Request_get_status_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (int bad = check_array(count, "MPI_Request_get_status_all")) return bad;
  *flag = look_twice([&] {
    return std::all_of(requests, requests + count, [](MPI_Request it) { return !counts(it) || is_done(it); });
  });
  for (int i = 0; *flag && statuses != MPI_STATUSES_IGNORE && i < count; ++i) show(&statuses[i], requests[i]);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Request_get_status_all)

int PMPI_Request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag,
                                MPI_Status* status) {
  if (int bad = check_array(count, "MPI_Request_get_status_any")) return bad;
  const MPI_Request* const end = requests + count;
  const bool none = std::none_of(requests, end, counts);
  const MPI_Request* found = end;
  *flag = none || look_twice([&] {
            found = std::find_if(requests, end, [](MPI_Request it) { return counts(it) && is_done(it); });
            return found != end;
          });
  *index = found == end ? MPI_UNDEFINED : static_cast<int>(found - requests);
  if (*flag) show(status, found == end ? MPI_REQUEST_NULL : *found);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Request_get_status_any)

int PMPI_Request_get_status_some(int count, const MPI_Request* requests, int* out_count, int* indices,
                                 MPI_Status* statuses) {
  if (int bad = check_array(count, "MPI_Request_get_status_some")) return bad;
  *out_count = MPI_UNDEFINED;
  if (std::none_of(requests, requests + count, counts)) return MPI_SUCCESS;
  look_twice([&] {
    *out_count = 0;
    for (int i = 0; i < count; ++i) {
      if (!counts(requests[i]) || !is_done(requests[i])) continue;
      if (statuses != MPI_STATUSES_IGNORE) show(&statuses[*out_count], requests[i]);
      indices[(*out_count)++] = i;
    }
    return *out_count != 0;
  });
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Request_get_status_some)
