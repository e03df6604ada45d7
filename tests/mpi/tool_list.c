/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* tool_list [run]: a line "name TAB value TAB verbosity TAB category" for each control variable, and lines
 * "pvar name category"; "run": between MPI_Init and MPI_Finalize. */
#include "tests/mpi/tool_check.h"

enum { kMost = 512 };

static int category_of_cvar[kMost], category_of_pvar[kMost], parent_of[kMost];

static void take(int category, int count, int* owners, int (*get)(int, int, int*)) {
  int indices[kMost];
  CHECK(count <= kMost);
  CHECK_OK(get(category, count, indices));
  for (int i = 0; i < count; ++i) {
    CHECK(indices[i] >= 0 && indices[i] < kMost);
    CHECK_EQ(owners[indices[i]], -1);
    owners[indices[i]] = category;
  }
}

static void read_categories(void) {
  int count;
  CHECK_OK(MPI_T_category_get_num(&count));
  memset(category_of_cvar, -1, sizeof category_of_cvar);
  memset(category_of_pvar, -1, sizeof category_of_pvar);
  memset(parent_of, -1, sizeof parent_of);
  for (int i = 0; i < count; ++i) {
    int cvars, pvars, categories, found = -1, length = 64;
    char name[64];
    CHECK_OK(MPI_T_category_get_info(i, name, &length, NULL, NULL, &cvars, &pvars, &categories));
    CHECK_OK(MPI_T_category_get_index(name, &found));
    CHECK_EQ(found, i);
    take(i, cvars, category_of_cvar, MPI_T_category_get_cvars);
    take(i, pvars, category_of_pvar, MPI_T_category_get_pvars);
    take(i, categories, parent_of, MPI_T_category_get_categories);
  }
}

static void print_path(int category) {
  int length = 64;
  char name[64];
  CHECK(category >= 0);
  CHECK_OK(MPI_T_category_get_info(category, name, &length, NULL, NULL, NULL, NULL, NULL));
  if (parent_of[category] >= 0) {
    print_path(parent_of[category]);
    putchar('/');
  }
  printf("%s", name);
}

static void print_value(MPI_T_cvar_handle handle, MPI_Datatype type, MPI_T_enum words) {
  char text[8192];
  int word, value, length = sizeof text;
  MPI_Count number;
  unsigned long long size;
  if (type == MPI_CHAR) {
    CHECK_OK(MPI_T_cvar_read(handle, text));
    printf("%s", text);
  } else if (type == MPI_INT) {
    CHECK_OK(MPI_T_cvar_read(handle, &word));
    CHECK_OK(MPI_T_enum_get_item(words, word, &value, text, &length));
    CHECK_EQ(value, word);
    printf("%s", text);
  } else if (type == MPI_COUNT) {
    CHECK_OK(MPI_T_cvar_read(handle, &number));
    printf("%lld", (long long)number);
  } else {
    CHECK(type == MPI_UNSIGNED_LONG_LONG);
    CHECK_OK(MPI_T_cvar_read(handle, &size));
    printf("%llu", size);
  }
}

static void print_all(void) {
  int count, verbosity, length, elements;
  char name[128];
  MPI_Datatype type;
  MPI_T_enum words;
  MPI_T_cvar_handle handle;
  CHECK_OK(MPI_T_cvar_get_num(&count));
  for (int i = 0; i < count; ++i) {
    length = sizeof name;
    CHECK_OK(MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &words, NULL, NULL, NULL, NULL));
    CHECK_OK(MPI_T_cvar_handle_alloc(i, NULL, &handle, &elements));
    printf("cvar\t%s\t", name);
    print_value(handle, type, words);
    CHECK_OK(MPI_T_cvar_handle_free(&handle));
    printf("\t%d\t", verbosity);
    print_path(category_of_cvar[i]);
    putchar('\n');
  }
  CHECK_OK(MPI_T_pvar_get_num(&count));
  for (int i = 0; i < count; ++i) {
    length = sizeof name;
    CHECK_OK(
        MPI_T_pvar_get_info(i, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    printf("pvar\t%s\t", name);
    print_path(category_of_pvar[i]);
    putchar('\n');
  }
}

int main(int argc, char** argv) {
  int provided;
  CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  if (argc > 1) MPI_Init(&argc, &argv);
  read_categories();
  print_all();
  if (argc > 1) MPI_Finalize();
  CHECK_OK(MPI_T_finalize());
  return 0;
}
