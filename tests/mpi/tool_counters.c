/* SPDX-FileCopyrightText: 2026 The Hawser authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Performance variables count what goes over a transport: tool_counters COMPONENT, two ranks. */
#include "tests/mpi/tool_check.h"

enum { kMessages = 100, kMost = 64 };

typedef struct {
  MPI_T_pvar_session session;
  MPI_T_pvar_handle sent;
  int count;
} Seen;

static int sent_number; /* of the pvar */

static Seen look(void) {
  Seen seen;
  CHECK_OK(MPI_T_pvar_session_create(&seen.session));
  CHECK_OK(MPI_T_pvar_handle_alloc(seen.session, sent_number, NULL, &seen.sent, &seen.count));
  CHECK(seen.count >= 1 && seen.count <= kMost);
  return seen;
}

/* Over all modules. */
static unsigned long long sum(const unsigned long long* values, int count) {
  unsigned long long all = 0;
  for (int i = 0; i < count; ++i) all += values[i];
  return all;
}

static unsigned long long value_of(const Seen* seen) {
  unsigned long long values[kMost];
  CHECK_OK(MPI_T_pvar_read(seen->session, seen->sent, values));
  return sum(values, seen->count);
}

static void talk(int rank) {
  int word = 0;
  for (int i = 0; i < kMessages; ++i) {
    if (rank == 0) MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
}

static void info_of_counter(void) {
  int verbosity, var_class, bind, readonly, continuous, atomic, length = 0;
  MPI_Datatype type;
  MPI_T_enum words;
  char help[256];
  int help_length = sizeof help;
  CHECK_OK(MPI_T_pvar_get_info(sent_number, NULL, &length, &verbosity, &var_class, &type, &words, help,
                               &help_length, &bind, &readonly, &continuous, &atomic));
  CHECK(length > 1 && help_length > 1 && strstr(help, "messages") != NULL);
  CHECK(var_class == MPI_T_PVAR_CLASS_COUNTER && type == MPI_UNSIGNED_LONG_LONG && words == MPI_T_ENUM_NULL);
  CHECK(bind == MPI_T_BIND_NO_OBJECT && !readonly && !continuous && atomic);
  CHECK_EQ(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
  int number = 0;
  CHECK_OK(MPI_T_pvar_get_num(&number));
  CHECK_EQ(
      MPI_T_pvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
      MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_pvar_get_index("bml_wireups", MPI_T_PVAR_CLASS_TIMER, &number), MPI_T_ERR_INVALID_NAME);
}

/* Only what is started counts, each session for itself. */
static void sessions(int rank) {
  Seen early = look(), late = look(), never = look();
  CHECK_OK(MPI_T_pvar_start(early.session, early.sent));
  CHECK_EQ(value_of(&early), 0);
  talk(rank);
  CHECK(value_of(&early) >= kMessages);
  CHECK_OK(MPI_T_pvar_start(late.session, MPI_T_PVAR_ALL_HANDLES));
  CHECK_EQ(value_of(&late), 0);
  CHECK_OK(MPI_T_pvar_stop(early.session, early.sent));
  const unsigned long long stopped = value_of(&early);
  talk(rank);
  CHECK_EQ(value_of(&early), stopped);
  CHECK_EQ(value_of(&never), 0);
  CHECK(value_of(&late) >= kMessages);
  CHECK_OK(MPI_T_pvar_start(early.session, early.sent)); /* goes on from where it stood */
  talk(rank);
  CHECK(value_of(&early) >= stopped + kMessages);
  CHECK_OK(MPI_T_pvar_reset(early.session, MPI_T_PVAR_ALL_HANDLES));
  CHECK_EQ(value_of(&early), 0);
  talk(rank);
  unsigned long long values[kMost];
  CHECK_OK(MPI_T_pvar_readreset(early.session, early.sent, values));
  CHECK(sum(values, early.count) >= kMessages);
  CHECK_EQ(value_of(&early), 0);
  for (int i = 0; i < kMost; ++i) values[i] = 1000;
  CHECK_OK(MPI_T_pvar_write(never.session, never.sent, values));
  CHECK_EQ(value_of(&never), 1000ull * (unsigned)never.count);
  CHECK_EQ(MPI_T_pvar_read(early.session, late.sent, values), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_read(early.session, MPI_T_PVAR_ALL_HANDLES, values), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_start(MPI_T_PVAR_SESSION_NULL, late.sent), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_handle_free(early.session, &late.sent), MPI_T_ERR_INVALID_HANDLE);
  CHECK_OK(MPI_T_pvar_handle_free(early.session, &early.sent));
  CHECK(early.sent == MPI_T_PVAR_HANDLE_NULL);
  CHECK_OK(MPI_T_pvar_session_free(&early.session));
  CHECK(early.session == MPI_T_PVAR_SESSION_NULL);
  const Seen freed = late;
  CHECK_OK(MPI_T_pvar_session_free(&late.session)); /* with its handle */
  CHECK_EQ(MPI_T_pvar_read(freed.session, freed.sent, values), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_session_free(&late.session), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_read(never.session, freed.sent, values), MPI_T_ERR_INVALID_HANDLE);
  CHECK_OK(MPI_T_pvar_session_free(&never.session));
}

/* A text that stays as it is: nothing can be done but read it. */
static void names_of_modules(const char* component, int modules) {
  char name[64], text[4096];
  snprintf(name, sizeof name, "btl_%s_modules", component);
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  int count = 0, found = 1;
  CHECK_OK(MPI_T_pvar_session_create(&session));
  CHECK_OK(
      MPI_T_pvar_handle_alloc(session, pvar_number(name, MPI_T_PVAR_CLASS_GENERIC), NULL, &handle, &count));
  CHECK(count > 1 && (size_t)count <= sizeof text);
  CHECK_OK(MPI_T_pvar_read(session, handle, text));
  CHECK_EQ(strlen(text) + 1, count);
  for (const char* at = text; *at; ++at) found += *at == ',';
  CHECK_EQ(found, modules);
  CHECK(strstr(text, component) != NULL);
  CHECK_EQ(MPI_T_pvar_start(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK_EQ(MPI_T_pvar_stop(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK_EQ(MPI_T_pvar_write(session, handle, text), MPI_T_ERR_PVAR_NO_WRITE);
  CHECK_EQ(MPI_T_pvar_reset(session, handle), MPI_T_ERR_PVAR_NO_WRITE);
  CHECK_EQ(MPI_T_pvar_readreset(session, handle, text), MPI_T_ERR_PVAR_NO_ATOMIC);
  CHECK_OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
  CHECK_OK(MPI_T_pvar_session_free(&session));
}

/* Messages and receives that wait, of one communicator each. */
static void levels(int rank) {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  int var_class, bind, readonly, count, word = 5;
  MPI_Datatype type;
  const int early = pvar_number("pml_unexpected_messages", MPI_T_PVAR_CLASS_LEVEL);
  const int posted = pvar_number("pml_posted_receives", MPI_T_PVAR_CLASS_LEVEL);
  CHECK_OK(MPI_T_pvar_get_info(early, NULL, NULL, NULL, &var_class, &type, NULL, NULL, NULL, &bind, &readonly,
                               NULL, NULL));
  CHECK(bind == MPI_T_BIND_MPI_COMM && type == MPI_UNSIGNED && readonly);
  MPI_T_pvar_session session;
  MPI_T_pvar_handle mine, theirs, waiting;
  MPI_Comm none = MPI_COMM_NULL, world = MPI_COMM_WORLD;
  unsigned level = 9;
  CHECK_OK(MPI_T_pvar_session_create(&session));
  CHECK_EQ(MPI_T_pvar_handle_alloc(session, early, &none, &mine, &count), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_handle_alloc(session, early, NULL, &mine, &count), MPI_T_ERR_INVALID_HANDLE);
  CHECK_OK(MPI_T_pvar_handle_alloc(session, early, &other, &mine, &count));
  CHECK_EQ(count, 1);
  CHECK_OK(MPI_T_pvar_handle_alloc(session, early, &world, &theirs, &count));
  CHECK_OK(MPI_T_pvar_handle_alloc(session, posted, &other, &waiting, &count));
  CHECK_EQ(MPI_T_pvar_start(session, mine), MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK_EQ(MPI_T_pvar_reset(session, mine), MPI_T_ERR_PVAR_NO_WRITE);
  MPI_Request request;
  if (rank == 0) {
    MPI_Send(&word, 1, MPI_INT, 1, 3, other);
    MPI_Send(&word, 1, MPI_INT, 1, 4, other);
    MPI_Recv(&word, 1, MPI_INT, 1, 5, other, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&word, 1, MPI_INT, 0, 4, other, MPI_STATUS_IGNORE); /* the one before it waits now */
    CHECK_OK(MPI_T_pvar_read(session, mine, &level));
    CHECK_EQ(level, 1);
    CHECK_OK(MPI_T_pvar_read(session, theirs, &level));
    CHECK_EQ(level, 0);
    MPI_Recv(&word, 1, MPI_INT, 0, 3, other, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_T_pvar_read(session, mine, &level));
    CHECK_EQ(level, 0);
    MPI_Irecv(&word, 1, MPI_INT, 0, 6, other, &request);
    CHECK_OK(MPI_T_pvar_read(session, waiting, &level));
    CHECK_EQ(level, 1);
    MPI_Send(&word, 1, MPI_INT, 0, 5, other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_T_pvar_read(session, waiting, &level));
    CHECK_EQ(level, 0);
  }
  if (rank == 0) MPI_Send(&word, 1, MPI_INT, 1, 6, other);
  MPI_Comm_free(&other);
  CHECK_OK(MPI_T_pvar_read(session, mine, &level)); /* of a communicator that is gone */
  CHECK_EQ(level, 0);
  MPI_Comm next; /* has its context and its place now */
  MPI_Comm_dup(MPI_COMM_WORLD, &next);
  MPI_Irecv(&word, 1, MPI_INT, 1 - rank, 7, next, &request);
  CHECK_OK(MPI_T_pvar_read(session, waiting, &level));
  CHECK_EQ(level, 0);
  MPI_Send(&word, 1, MPI_INT, 1 - rank, 7, next);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&next);
  CHECK_OK(MPI_T_pvar_session_free(&session));
}

int main(int argc, char** argv) {
  int rank, provided;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CHECK(argc == 2);
  CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided)); /* a tool may come later than MPI */
  char name[64];
  snprintf(name, sizeof name, "btl_%s_messages_sent", argv[1]);
  sent_number = pvar_number(name, MPI_T_PVAR_CLASS_COUNTER);
  snprintf(name, sizeof name, "btl_%s_bytes_sent", argv[1]);
  pvar_number(name, MPI_T_PVAR_CLASS_AGGREGATE);
  info_of_counter();
  sessions(rank);
  levels(rank);
  Seen last = look();
  names_of_modules(argv[1], last.count);
  CHECK_OK(MPI_T_pvar_start(last.session, last.sent));
  talk(rank);
  MPI_Finalize();
  CHECK(value_of(&last) >= kMessages); /* what was counted stays */
  CHECK_OK(MPI_T_finalize());
  return 0;
}
