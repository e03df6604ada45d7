// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mpi/binding.hpp"
#include "mpi/tool/tool.hpp"

// Start and end, enumerations, categories: MPI_T_init_thread, MPI_T_finalize, MPI_T_enum_*, MPI_T_category_*.

namespace hawser::mpi::tool {
namespace {

/// The first numbers of a category's list, as many as there is room for.
template <class Member>
int give_numbers(int index, int room, int* out, Member numbers) noexcept {
  return with_state([&](State& state) {
    const Category* category = state.catalogue.categories.at(index);
    if (!category) return MPI_T_ERR_INVALID_INDEX;
    const auto& all = category->*numbers;
    const auto shown = std::min(all.size(), static_cast<std::size_t>(std::max(room, 0)));
    if (shown != 0 && !out) return MPI_T_ERR_INVALID;
    std::copy_n(all.begin(), shown, out);
    return MPI_SUCCESS;
  });
}

}  // namespace
}  // namespace hawser::mpi::tool

using namespace hawser::mpi::tool;

int PMPI_T_init_thread(int required, int* provided) try {
  Tool& it = tool();
  hawser::Lock lock(it.mutex);
  it.state.begin();
  give(provided, std::clamp(required, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE));
  return MPI_SUCCESS;
} catch (const std::bad_alloc&) {
  return MPI_T_ERR_MEMORY;
}
HAWSER_MPI_ALIAS(T_init_thread)

int PMPI_T_finalize() {
  return with_state([](State& state) {
    state.end();
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_finalize)

int PMPI_T_enum_get_info(MPI_T_enum enumtype, int* count, char* name, int* name_len) {
  return with_state([&](State& state) {
    const Enum* words = state.catalogue.find(enumtype);
    if (!words) return MPI_T_ERR_INVALID_INDEX;
    give(count, words->words.size());
    give_text(words->name, name, name_len);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_enum_get_info)

int PMPI_T_enum_get_item(MPI_T_enum enumtype, int index, int* value, char* name, int* name_len) {
  return with_state([&](State& state) {
    const Enum* words = state.catalogue.find(enumtype);
    if (!words || index < 0 || static_cast<std::size_t>(index) >= words->words.size())
      return MPI_T_ERR_INVALID_INDEX;
    give(value, index);
    give_text(words->words[static_cast<std::size_t>(index)], name, name_len);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_enum_get_item)

int PMPI_T_category_get_num(int* count) {
  return with_state([&](State& state) {
    if (!count) return MPI_T_ERR_INVALID;
    *count = state.catalogue.categories.size();
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_category_get_num)

int PMPI_T_category_get_info(int index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars,
                             int* num_pvars, int* num_categories) {
  return with_state([&](State& state) {
    const Category* category = state.catalogue.categories.at(index);
    if (!category) return MPI_T_ERR_INVALID_INDEX;
    give_text(category->name, name, name_len);
    give_text(category->help, desc, desc_len);
    give(num_cvars, category->cvars.size());
    give(num_pvars, category->pvars.size());
    give(num_categories, category->categories.size());
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_category_get_info)

int PMPI_T_category_get_index(const char* name, int* index) {
  return with_state([&](State& state) {
    if (!name || !index) return MPI_T_ERR_INVALID;
    const int found = state.catalogue.categories.find(name);
    if (found < 0) return MPI_T_ERR_INVALID_NAME;
    *index = found;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_category_get_index)

int PMPI_T_category_get_cvars(int index, int room, int indices[]) {
  return give_numbers(index, room, indices, &Category::cvars);
}
HAWSER_MPI_ALIAS(T_category_get_cvars)

int PMPI_T_category_get_pvars(int index, int room, int indices[]) {
  return give_numbers(index, room, indices, &Category::pvars);
}
HAWSER_MPI_ALIAS(T_category_get_pvars)

int PMPI_T_category_get_categories(int index, int room, int indices[]) {
  return give_numbers(index, room, indices, &Category::categories);
}
HAWSER_MPI_ALIAS(T_category_get_categories)

int PMPI_T_category_changed(int* update_number) {
  return with_state([&](State& state) {
    if (!update_number) return MPI_T_ERR_INVALID;
    *update_number = state.catalogue.changes;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_category_changed)
