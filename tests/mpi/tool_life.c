/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The tool interface from before MPI_Init to after MPI_Finalize: control variables, their errors, handles
 * that outlive what they were made in. */
#include "tests/mpi/tool_check.h"

static void before_any_tool(void) {
  int number = 7;
  CHECK_EQ(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_pvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_category_changed(&number), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_event_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_EQ(number, 7);
}

static void start_tool(void) {
  int provided = -1;
  CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  CHECK_EQ(provided, MPI_THREAD_SINGLE);
  CHECK_OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
}

/* What is shown has its length in *length, and a length that is too short still ends with a zero. */
static void strings(void) {
  const int links = cvar_number("btl_tcp_links");
  char name[64];
  int length = sizeof name;
  CHECK_OK(MPI_T_cvar_get_info(links, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK(strcmp(name, "btl_tcp_links") == 0);
  CHECK_EQ(length, strlen("btl_tcp_links") + 1);
  memset(name, 'x', sizeof name);
  length = 4;
  CHECK_OK(MPI_T_cvar_get_info(links, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK(memcmp(name, "btl\0x", 5) == 0);
  CHECK_EQ(length, strlen("btl_tcp_links") + 1);
  length = 0;
  CHECK_OK(MPI_T_cvar_get_info(links, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK_EQ(length, strlen("btl_tcp_links") + 1);
  CHECK(name[4] == 'x');
  length = sizeof name;
  CHECK_OK(MPI_T_cvar_get_info(links, NULL, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK_EQ(length, strlen("btl_tcp_links") + 1);
  CHECK_OK(MPI_T_cvar_get_info(links, name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK(name[4] == 'x');
}

static void descriptions(void) {
  int verbosity, bind, scope, count;
  MPI_Datatype type;
  MPI_T_enum words;
  CHECK_OK(MPI_T_cvar_get_info(cvar_number("btl"), NULL, NULL, &verbosity, &type, &words, NULL, NULL, &bind,
                               &scope));
  CHECK_EQ(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  CHECK(type == MPI_CHAR && words == MPI_T_ENUM_NULL);
  CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
  CHECK_EQ(scope, MPI_T_SCOPE_ALL_EQ);
  CHECK_OK(MPI_T_cvar_get_info(cvar_number("mca_component_path"), NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                               NULL, &scope));
  CHECK_EQ(scope, MPI_T_SCOPE_READONLY);
  CHECK_OK(MPI_T_cvar_get_info(cvar_number("mpi_param_check"), NULL, NULL, &verbosity, &type, &words, NULL,
                               NULL, NULL, NULL));
  CHECK_EQ(verbosity, MPI_T_VERBOSITY_MPIDEV_ALL);
  CHECK(type == MPI_INT && words != MPI_T_ENUM_NULL);
  int value = -1, length = 8;
  char word[8];
  CHECK_OK(MPI_T_enum_get_info(words, &count, word, &length));
  CHECK(count == 2 && strcmp(word, "bool") == 0 && length == 5);
  length = sizeof word;
  CHECK_OK(MPI_T_enum_get_item(words, 1, &value, word, &length));
  CHECK(value == 1 && strcmp(word, "true") == 0);
  CHECK_EQ(MPI_T_enum_get_item(words, 2, &value, word, &length), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_enum_get_item(words, -1, &value, word, &length), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &count, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
  CHECK_OK(MPI_T_cvar_get_info(cvar_number("btl_tcp_links"), NULL, NULL, NULL, &type, NULL, NULL, NULL, NULL,
                               NULL));
  CHECK(type == MPI_COUNT);
  CHECK_OK(MPI_T_cvar_get_info(cvar_number("hawser_modex_timeout"), NULL, NULL, NULL, &type, NULL, NULL, NULL,
                               NULL, NULL));
  CHECK(type == MPI_UNSIGNED_LONG_LONG);
}

static void wrong_arguments(void) {
  int number = 0, count;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  CHECK_OK(MPI_T_cvar_get_num(&number));
  CHECK(number > 20);
  CHECK_EQ(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_cvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
           MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
           MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_cvar_get_index("btl_tcp_linke", &number), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_cvar_get_index(NULL, &number), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_cvar_handle_alloc(-1, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_cvar_handle_alloc(0, NULL, NULL, &count), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_cvar_read(handle, &number), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_cvar_write((MPI_T_cvar_handle)&number, &number), MPI_T_ERR_INVALID_HANDLE);
  handle = cvar_handle("btl_tcp_links", 1);
  CHECK_EQ(MPI_T_cvar_read(handle, NULL), MPI_T_ERR_INVALID);
  CHECK_OK(MPI_T_cvar_handle_free(&handle));
  CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
  CHECK_EQ(MPI_T_category_get_info(1000, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_category_get_index("no such", &number), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_category_get_cvars(-1, 0, NULL), MPI_T_ERR_INVALID_INDEX);
}

static void no_events(void) {
  int number = -1;
  MPI_T_event_registration registration = NULL;
  MPI_Count time;
  CHECK_OK(MPI_T_event_get_num(&number));
  CHECK_EQ(number, 0);
  CHECK_OK(MPI_T_source_get_num(&number));
  CHECK_EQ(number, 0);
  CHECK_EQ(MPI_T_event_get_index("any", &number), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_event_handle_free(registration, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_source_get_timestamp(0, &time), MPI_T_ERR_INVALID_INDEX);
  CHECK_OK(MPI_T_category_get_num_events(0, &number));
  CHECK_EQ(number, 0);
  CHECK_OK(MPI_T_category_get_events(0, 0, NULL));
  CHECK_EQ(MPI_T_category_get_events(-1, 0, NULL), MPI_T_ERR_INVALID_INDEX);
}

/* What MPI_Init is to find. */
static void write_before(MPI_T_cvar_handle chunk, MPI_T_cvar_handle guard, MPI_T_cvar_handle timeout) {
  unsigned long long bytes = 20 * 1024, read = 0, time = 90ull * 1000 * 1000 * 1000;
  int word = 99;
  char text[4096] = "btl-x";
  CHECK_OK(MPI_T_cvar_write(chunk, &bytes));
  bytes = 1;
  CHECK_EQ(MPI_T_cvar_write(chunk, &bytes), MPI_T_ERR_INVALID);
  CHECK_OK(MPI_T_cvar_read(chunk, &read));
  CHECK_EQ(read, 20 * 1024);
  CHECK_EQ(MPI_T_cvar_write(guard, &word), MPI_T_ERR_INVALID);
  word = -1;
  CHECK_EQ(MPI_T_cvar_write(guard, &word), MPI_T_ERR_INVALID);
  CHECK_OK(MPI_T_cvar_read(guard, &word));
  CHECK(word >= 0);
  CHECK_OK(MPI_T_cvar_write(guard, &word));
  CHECK_OK(MPI_T_cvar_write(timeout, &time));
  CHECK_OK(MPI_T_cvar_read(timeout, &read));
  CHECK_EQ(read, time);
  MPI_T_cvar_handle path = cvar_handle("mca_component_path", 4096);
  CHECK_EQ(MPI_T_cvar_write(path, text), MPI_T_ERR_CVAR_SET_NEVER);
  CHECK_OK(MPI_T_cvar_handle_free(&path));
  MPI_T_cvar_handle include = cvar_handle("btl_tcp_if_include", 4096),
                    exclude = cvar_handle("btl_tcp_if_exclude", 4096);
  CHECK_OK(MPI_T_cvar_write(include, "lo"));
  CHECK_OK(MPI_T_cvar_read(include, text));
  CHECK(strcmp(text, "lo") == 0);
  CHECK_EQ(MPI_T_cvar_write(exclude, "eth7"), MPI_T_ERR_INVALID);
  CHECK_OK(MPI_T_cvar_write(include, ""));
  CHECK_OK(MPI_T_cvar_handle_free(&include));
  CHECK_OK(MPI_T_cvar_handle_free(&exclude));
}

static void while_it_runs(MPI_T_cvar_handle chunk) {
  unsigned long long bytes = 0;
  CHECK_OK(MPI_T_cvar_read(chunk, &bytes));
  CHECK_EQ(bytes, 20 * 1024);
  bytes = 64 * 1024;
  CHECK_EQ(MPI_T_cvar_write(chunk, &bytes), MPI_T_ERR_CVAR_SET_NOT_NOW);
  MPI_T_cvar_handle verbose = cvar_handle("btl_base_verbose", 1);
  MPI_Count level = 5;
  CHECK_OK(MPI_T_cvar_write(verbose, &level));
  level = 101;
  CHECK_EQ(MPI_T_cvar_write(verbose, &level), MPI_T_ERR_INVALID);
  CHECK_OK(MPI_T_cvar_read(verbose, &level));
  CHECK_EQ(level, 5);
  CHECK_OK(MPI_T_cvar_handle_free(&verbose));
}

/* A tool that looks before and after, but not while MPI runs. */
static int before_and_after(int argc, char** argv) {
  int provided, number = -1;
  CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  CHECK_OK(MPI_T_pvar_get_num(&number));
  CHECK_EQ(number, 0);
  CHECK_OK(MPI_T_finalize());
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  pvar_number("bml_wireups", MPI_T_PVAR_CLASS_COUNTER);
  CHECK_OK(MPI_T_finalize());
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1) return before_and_after(argc, argv);
  before_any_tool();
  start_tool();
  strings();
  descriptions();
  wrong_arguments();
  no_events();
  MPI_T_cvar_handle chunk = cvar_handle("mpi_coll_shm_chunk", 1), guard = cvar_handle("bml_guard", 1),
                    timeout = cvar_handle("hawser_modex_timeout", 1);
  write_before(chunk, guard, timeout);
  int before = 0, after = 0, number;
  CHECK_OK(MPI_T_category_changed(&before));

  MPI_Init(&argc, &argv);
  CHECK_OK(MPI_T_category_changed(&after));
  CHECK(after > before);
  while_it_runs(chunk);
  MPI_T_pvar_session session;
  MPI_T_pvar_handle peers;
  unsigned long long wired = 0, later = 0;
  CHECK_OK(MPI_T_pvar_session_create(&session));
  CHECK_OK(MPI_T_pvar_handle_alloc(session, pvar_number("bml_wireups", MPI_T_PVAR_CLASS_COUNTER), NULL,
                                   &peers, &number));
  CHECK_EQ(number, 1);
  CHECK_OK(MPI_T_pvar_start(session, peers));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_OK(MPI_T_pvar_read(session, peers, &wired));
  MPI_Finalize();

  unsigned long long bytes = 0;
  CHECK_OK(MPI_T_cvar_read(chunk, &bytes));
  CHECK_EQ(bytes, 20 * 1024);
  CHECK_EQ(MPI_T_cvar_write(chunk, &bytes), MPI_T_ERR_CVAR_SET_NOT_NOW);
  CHECK_OK(MPI_T_pvar_read(session, peers, &later));
  CHECK(later >= wired);
  CHECK_OK(MPI_T_finalize());
  CHECK_OK(MPI_T_cvar_read(chunk, &bytes)); /* somebody else still uses it */
  CHECK_OK(MPI_T_finalize());
  CHECK_EQ(MPI_T_cvar_read(chunk, &bytes), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &number));
  CHECK_EQ(MPI_T_cvar_read(chunk, &bytes), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_read(session, peers, &bytes), MPI_T_ERR_INVALID_SESSION);
  MPI_T_cvar_handle again = cvar_handle("btl_tcp_links", 1);
  CHECK_OK(MPI_T_cvar_handle_free(&again));
  CHECK_OK(MPI_T_finalize());
  return 0;
}
