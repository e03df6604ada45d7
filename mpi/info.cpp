// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "mpi/binding.hpp"
#include "mpi/errors.hpp"

namespace hawser::mpi {

namespace {

/// Key-value pairs in the order they were set. A program uses one from one thread at a time, as the standard
/// says.
struct Info {
  std::vector<std::pair<std::string, std::string>> pairs;

  auto find(const char* key) {
    return std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == key; });
  }
};

Info g_environment;  // empty: this library tells nothing there

Info* object_of(MPI_Info handle) noexcept {
  if (handle == MPI_INFO_ENV) return &g_environment;
  return handle == MPI_INFO_NULL ? nullptr : reinterpret_cast<Info*>(handle);
}

int no_info(const char* function) noexcept {
  return fail(nullptr, MPI_ERR_INFO, function, "the info object is not valid");
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Info_create(MPI_Info* info) {
  *info = reinterpret_cast<MPI_Info>(new Info);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_create)

int PMPI_Info_dup(MPI_Info info, MPI_Info* made) {
  const Info* from = object_of(info);
  if (!from) return no_info("MPI_Info_dup");
  *made = reinterpret_cast<MPI_Info>(new Info(*from));
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_dup)

int PMPI_Info_free(MPI_Info* info) {
  Info* freed = object_of(*info);
  if (!freed || freed == &g_environment) return no_info("MPI_Info_free");
  delete freed;
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_free)

int PMPI_Info_set(MPI_Info info, const char* key, const char* value) {
  Info* to = object_of(info);
  if (!to) return no_info("MPI_Info_set");
  const std::size_t key_size = strlen(key);
  if (key_size == 0 || key_size >= MPI_MAX_INFO_KEY)
    return fail(nullptr, MPI_ERR_INFO_KEY, "MPI_Info_set", "the key is empty or too long");
  if (strlen(value) >= MPI_MAX_INFO_VAL)
    return fail(nullptr, MPI_ERR_INFO_VALUE, "MPI_Info_set", "the value is too long");
  if (auto pair = to->find(key); pair != to->pairs.end()) {
    pair->second = value;
  } else {
    to->pairs.emplace_back(key, value);
  }
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_set)

int PMPI_Info_delete(MPI_Info info, const char* key) {
  Info* from = object_of(info);
  if (!from) return no_info("MPI_Info_delete");
  const auto pair = from->find(key);
  if (pair == from->pairs.end())
    return fail(nullptr, MPI_ERR_INFO_NOKEY, "MPI_Info_delete", fmt::format("no key {}", key));
  from->pairs.erase(pair);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_delete)

int PMPI_Info_get(MPI_Info info, const char* key, int room, char* value, int* flag) {
  Info* from = object_of(info);
  if (!from) return no_info("MPI_Info_get");
  const auto pair = from->find(key);
  *flag = pair != from->pairs.end();
  if (*flag) std::snprintf(value, static_cast<std::size_t>(room) + 1, "%s", pair->second.c_str());
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_get)

int PMPI_Info_get_string(MPI_Info info, const char* key, int* room, char* value, int* flag) {
  Info* from = object_of(info);
  if (!from) return no_info("MPI_Info_get_string");
  const auto pair = from->find(key);
  *flag = pair != from->pairs.end();
  if (!*flag) return MPI_SUCCESS;
  if (*room > 0) std::snprintf(value, static_cast<std::size_t>(*room), "%s", pair->second.c_str());
  *room = static_cast<int>(pair->second.size()) + 1;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_get_string)

int PMPI_Info_get_valuelen(MPI_Info info, const char* key, int* length, int* flag) {
  Info* from = object_of(info);
  if (!from) return no_info("MPI_Info_get_valuelen");
  const auto pair = from->find(key);
  *flag = pair != from->pairs.end();
  if (*flag) *length = static_cast<int>(pair->second.size());
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_get_valuelen)

int PMPI_Info_get_nkeys(MPI_Info info, int* count) {
  const Info* of = object_of(info);
  if (!of) return no_info("MPI_Info_get_nkeys");
  *count = static_cast<int>(of->pairs.size());
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_get_nkeys)

int PMPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  const Info* of = object_of(info);
  if (!of) return no_info("MPI_Info_get_nthkey");
  if (n < 0 || static_cast<std::size_t>(n) >= of->pairs.size())
    return fail(nullptr, MPI_ERR_ARG, "MPI_Info_get_nthkey", fmt::format("there is no key number {}", n));
  std::snprintf(key, MPI_MAX_INFO_KEY, "%s", of->pairs[static_cast<std::size_t>(n)].first.c_str());
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Info_get_nthkey)
