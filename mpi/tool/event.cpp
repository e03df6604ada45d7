// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/tool/tool.hpp"

// Events: this library has no event types and no sources of them, so no index, name or handle is valid.

namespace hawser::mpi::tool {
namespace {

int answer(int code) noexcept {
  return with_state([&](State&) { return code; });
}
int none(int* count) noexcept {
  return with_state([&](State&) {
    if (!count) return MPI_T_ERR_INVALID;
    *count = 0;
    return MPI_SUCCESS;
  });
}

}  // namespace
}  // namespace hawser::mpi::tool

using namespace hawser::mpi::tool;

int PMPI_T_event_get_num(int* count) {
  return none(count);
}
HAWSER_MPI_ALIAS(T_event_get_num)

int PMPI_T_event_get_info(int, char*, int*, int*, MPI_Datatype*, MPI_Aint*, int*, MPI_T_enum*, MPI_Info*,
                          char*, int*, int*) {
  return answer(MPI_T_ERR_INVALID_INDEX);
}
HAWSER_MPI_ALIAS(T_event_get_info)

int PMPI_T_event_get_index(const char* name, int* index) {
  return answer(name && index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID);
}
HAWSER_MPI_ALIAS(T_event_get_index)

int PMPI_T_event_handle_alloc(int, void*, MPI_Info, MPI_T_event_registration*) {
  return answer(MPI_T_ERR_INVALID_INDEX);
}
HAWSER_MPI_ALIAS(T_event_handle_alloc)

int PMPI_T_event_handle_free(MPI_T_event_registration, void*, MPI_T_event_free_cb_function) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_handle_free)

int PMPI_T_event_handle_get_info(MPI_T_event_registration, MPI_Info*) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_handle_get_info)

int PMPI_T_event_handle_set_info(MPI_T_event_registration, MPI_Info) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_handle_set_info)

int PMPI_T_event_register_callback(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*,
                                   MPI_T_event_cb_function) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_register_callback)

int PMPI_T_event_callback_get_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_callback_get_info)

int PMPI_T_event_callback_set_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_callback_set_info)

int PMPI_T_event_set_dropped_handler(MPI_T_event_registration, MPI_T_event_dropped_cb_function) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_set_dropped_handler)

int PMPI_T_event_read(MPI_T_event_instance, int, void*) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_read)

int PMPI_T_event_copy(MPI_T_event_instance, void*) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_copy)

int PMPI_T_event_get_timestamp(MPI_T_event_instance, MPI_Count*) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_get_timestamp)

int PMPI_T_event_get_source(MPI_T_event_instance, int*) {
  return answer(MPI_T_ERR_INVALID_HANDLE);
}
HAWSER_MPI_ALIAS(T_event_get_source)

int PMPI_T_source_get_num(int* count) {
  return none(count);
}
HAWSER_MPI_ALIAS(T_source_get_num)

int PMPI_T_source_get_info(int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*,
                           MPI_Info*) {
  return answer(MPI_T_ERR_INVALID_INDEX);
}
HAWSER_MPI_ALIAS(T_source_get_info)

int PMPI_T_source_get_timestamp(int, MPI_Count*) {
  return answer(MPI_T_ERR_INVALID_INDEX);
}
HAWSER_MPI_ALIAS(T_source_get_timestamp)

int PMPI_T_category_get_num_events(int index, int* count) {
  return with_state([&](State& state) {
    if (!state.catalogue.categories.at(index)) return MPI_T_ERR_INVALID_INDEX;
    if (!count) return MPI_T_ERR_INVALID;
    *count = 0;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_category_get_num_events)

int PMPI_T_category_get_events(int index, int, int[]) {
  return with_state([&](State& state) {
    return state.catalogue.categories.at(index) ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
  });
}
HAWSER_MPI_ALIAS(T_category_get_events)
