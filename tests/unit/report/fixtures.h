/* fixtures.h: results of checks made by hand, one for each kind of answer, for test_report.c.
 *
 * The log is a stand-in: a table of sites, threads and facts behind the accessors of log.h that src/report uses, so
 * that the report is tested with threads that have names, with damage and with dropped operations at will. */
#ifndef FIXTURES_H
#define FIXTURES_H

#include "report/report.h"

struct hd_log
{
  hd_log_site sites[16];
  uint32_t nsites;
  const char *threads[16];
  uint32_t nthreads;
  hd_log_object object;
  bool open, lost;
  uint64_t dropped;
  hd_log_damage damages[8];
  size_t ndamages;
};

typedef struct fixture
{
  const char *name; /* of the expected output: report/NAME.txt and report/NAME.ascii.txt */
  struct hd_log log;
  hd_refine_result result;
  hd_verdict verdict;
  const char *note;
} fixture;

#define TICK(n) (2 * (uint64_t) (n) + 1)
#define LOOK(n) (2 * (uint64_t) (n))
#define ARGS(...)                                                                                                      \
  .args = (const hd_value[]){__VA_ARGS__}, .nargs = sizeof((const hd_value[]){__VA_ARGS__}) / sizeof(hd_value)
#define INT(n)                                                                                                         \
  {                                                                                                                    \
    .type = HD_INT, .i = (n)                                                                                           \
  }
#define BOOL(b)                                                                                                        \
  {                                                                                                                    \
    .type = HD_BOOL, .u = (b)                                                                                          \
  }
#define STR(text)                                                                                                      \
  {                                                                                                                    \
    .type = HD_STR, .length = sizeof(text) - 1, .s = (text)                                                            \
  }
#define OPS(...)                                                                                                       \
  .ops = (hd_op_info[]){__VA_ARGS__}, .nops = sizeof((const hd_op_info[]){__VA_ARGS__}) / sizeof(hd_op_info)
#define RETURNED(position, site) .returned = true, .end = (position), .return_site = (site)
#define COMMITTED(position, site, place)                                                                               \
  .committed = true, .commit = (position), .commit_site = (site), .witness = (place)

/* Sites of the multiset: 1 call and 2 commit and 3 return of InsertPair, 4 and 5 LookUp, 6 a write, 7 the task,
 * 8 Delete. */
#define MULTISET_LOG                                                                                                   \
  .nsites = 8, .nthreads = 4, .threads = {[1] = "", [2] = "", [3] = "reader", [4] = "worker"},                         \
  .object = {.id = 1, .type = "multiset", .name = "m", .ticks = 9},                                                    \
  .sites = {                                                                                                           \
      [1] = {.id = 1, .line = 60, .file = "multiset.c", .function = "insert_pair", .method = "InsertPair"},            \
      [2] = {.id = 2, .line = 71, .file = "multiset.c", .function = "insert_pair", .method = ""},                      \
      [3] = {.id = 3, .line = 75, .file = "multiset.c", .function = "insert_pair", .method = ""},                      \
      [4] = {.id = 4, .line = 88, .file = "multiset.c", .function = "look_up", .method = "LookUp"},                    \
      [5] = {.id = 5, .line = 95, .file = "multiset.c", .function = "look_up", .method = ""},                          \
      [6] = {.id = 6, .line = 40, .file = "multiset.c", .function = "find_slot", .method = ""},                        \
      [7] = {.id = 7, .line = 120, .file = "multiset.c", .function = "compact", .method = "compact"},                  \
      [8] = {.id = 8, .line = 104, .file = "multiset.c", .function = "delete", .method = "Delete"},                    \
  }

#define REGISTER_LOG                                                                                                   \
  .nsites = 6, .nthreads = 3, .threads = {[1] = "", [2] = "", [3] = ""},                                               \
  .object = {.id = 1, .type = "register", .name = "r", .ticks = 8},                                                    \
  .sites = {                                                                                                           \
      [1] = {.id = 1, .line = 21, .file = "reg.c", .function = "reg_write", .method = "write"},                        \
      [2] = {.id = 2, .line = 24, .file = "reg.c", .function = "reg_write", .method = ""},                             \
      [3] = {.id = 3, .line = 30, .file = "reg.c", .function = "reg_write", .method = ""},                             \
      [4] = {.id = 4, .line = 32, .file = "reg.c", .function = "reg_write", .method = ""},                             \
      [5] = {.id = 5, .line = 40, .file = "reg.c", .function = "reg_read", .method = "read"},                          \
      [6] = {.id = 6, .line = 43, .file = "reg.c", .function = "reg_read", .method = ""},                              \
  }

/* Two InsertPairs of the published multiset, as they stand in most of the fixtures. */
#define INSERT_5_7                                                                                                     \
  .number = 12, .thread = 1, .method = "InsertPair", ARGS(INT(5), INT(7)), .ret = BOOL(true), .call = LOOK(2),         \
  .call_site = 1, COMMITTED(TICK(4), 2, 3), RETURNED(LOOK(5), 3), .explains = true
#define INSERT_6_8                                                                                                     \
  .number = 13, .thread = 2, .method = "InsertPair", ARGS(INT(6), INT(8)), .ret = BOOL(true), .call = LOOK(3),         \
  .call_site = 1, COMMITTED(TICK(7), 2, 5), RETURNED(LOOK(8), 3)

/* Figure 6 of the VYRD paper, found through a return value. */
static fixture lookup
    = {.name = "lookup",
       .verdict = HD_VIOLATED,
       .log = {MULTISET_LOG},
       .result
       = {.verdict = HD_VIOLATED,
          .object = "m",
          .type = "multiset",
          .object_id = 1,
          .checked_to = 9,
          .finding = {.kind = HD_FOUND_OBSERVER,
                      .blame = HD_BLAME_IMPLEMENTATION,
                      .headline = "LookUp(5) returned false, but every state that it can have seen says true",
                      .expected = "true",
                      .actual = "false",
                      .why = "no order of the operations explains this return value, even if each of them may take "
                             "effect anywhere between its call and its return",
                      .site = 5,
                      .position = LOOK(9),
                      .explanation_minimal = true,
                      OPS({INSERT_5_7}, {INSERT_6_8},
                          {.number = 15,
                           .thread = 1,
                           .method = "Delete",
                           ARGS(INT(9)),
                           .ret = BOOL(false),
                           .observer = true,
                           .call = LOOK(5),
                           .call_site = 8,
                           RETURNED(LOOK(5), 8)},
                          {.number = 17,
                           .thread = 3,
                           .method = "LookUp",
                           ARGS(INT(5)),
                           .ret = BOOL(false),
                           .observer = true,
                           .call = LOOK(8),
                           .call_site = 4,
                           RETURNED(LOOK(9), 5),
                           .failing = true,
                           .explains = true})},
          .stats = {.events = 51, .operations = 17, .commits = 9}}};

/* The same, found through the view when InsertPair(6, 8) commits. */
static fixture view = {
    .name = "view",
    .verdict = HD_VIOLATED,
    .log = {MULTISET_LOG},
    .result
    = {.verdict = HD_VIOLATED,
       .object = "m",
       .type = "multiset",
       .object_id = 1,
       .views = true,
       .checked_to = 8,
       .finding
       = {.kind = HD_FOUND_VIEW,
          .blame = HD_BLAME_IMPLEMENTATION,
          .headline = "after InsertPair(6, 8) committed, the view of key 5 is absent where the specification has 1",
          .expected = "1",
          .actual = "absent",
          .why = "the state that the writes leave behind is not the one that the specification reaches",
          .site = 2,
          .position = TICK(7),
          OPS({INSERT_5_7}, {INSERT_6_8, .explains = true, .failing = true}),
          .ndifferences = 1,
          .differences
          = (hd_key_difference[]){{.key = INT(5),
                                   .spec_has = true,
                                   .spec_value = INT(1),
                                   .nwriters = 2,
                                   .writers = (hd_writer_info[]){{2, 6, TICK(5), 13, (char *) "A[0].elt", INT(6)},
                                                                 {1, 6, TICK(3), 12, (char *) "A[0].elt", INT(5)}}}}},
       .stats = {.events = 51, .operations = 13, .commits = 7}}};

/* A register with windows: one reader sees the new value, then the old one. */
static fixture inversion
    = {.name = "inversion",
       .verdict = HD_VIOLATED,
       .log = {REGISTER_LOG},
       .result
       = {.verdict = HD_VIOLATED,
          .object = "r",
          .type = "register",
          .object_id = 1,
          .checked_to = 5,
          .finding = {.kind = HD_FOUND_ORDER,
                      .blame = HD_BLAME_IMPLEMENTATION,
                      .headline = "read() returned 10 after another read() had returned 20; no order explains both",
                      .expected = "20",
                      .actual = "10",
                      .why = "write(20) takes effect once: it cannot lie before the first read and after the second",
                      .site = 6,
                      .position = TICK(4),
                      .explanation_minimal = true,
                      OPS({.number = 1,
                           .thread = 1,
                           .method = "write",
                           ARGS(INT(10)),
                           .call = LOOK(0),
                           .call_site = 1,
                           .windowed = true,
                           .window = TICK(0),
                           .window_site = 2,
                           COMMITTED(TICK(1), 3, 1),
                           RETURNED(LOOK(2), 4)},
                          {.number = 2,
                           .thread = 1,
                           .method = "write",
                           ARGS(INT(20)),
                           .call = LOOK(2),
                           .call_site = 1,
                           .windowed = true,
                           .window = TICK(2),
                           .window_site = 2,
                           COMMITTED(TICK(5), 3, 2),
                           RETURNED(LOOK(6), 4),
                           .explains = true},
                          {.number = 3,
                           .thread = 2,
                           .method = "read",
                           .ret = INT(20),
                           .observer = true,
                           .call = LOOK(3),
                           .call_site = 5,
                           RETURNED(TICK(3), 6),
                           .explains = true},
                          {.number = 4,
                           .thread = 3,
                           .method = "read",
                           .ret = INT(10),
                           .observer = true,
                           .call = LOOK(4),
                           .call_site = 5,
                           RETURNED(TICK(4), 6),
                           .failing = true,
                           .explains = true})},
          .stats = {.events = 14, .operations = 4, .commits = 2, .windows = 2}}};

/* An exact commit where a window belongs. */
static fixture suspect = {
    .name = "suspect",
    .verdict = HD_VIOLATED,
    .log = {REGISTER_LOG},
    .result
    = {.verdict = HD_VIOLATED,
       .object = "r",
       .type = "register",
       .object_id = 1,
       .checked_to = 1,
       .finding = {.kind = HD_FOUND_OBSERVER,
                   .blame = HD_BLAME_ANNOTATION,
                   .headline = "read() returned 20 before write(20) committed",
                   .expected = "10",
                   .actual = "20",
                   .why = "the returns fit if write(20) takes effect before tick 1, where its commit stands: the read "
                          "returned 20 before that",
                   .suggestion = "open a window (HD_WINDOW) before the store that readers can see, in reg_write above "
                                 "reg.c:30",
                   .site = 6,
                   .position = LOOK(1),
                   .explanation_minimal = true,
                   OPS({.number = 2,
                        .thread = 1,
                        .method = "write",
                        ARGS(INT(20)),
                        .call = LOOK(1),
                        .call_site = 1,
                        COMMITTED(TICK(1), 3, 2),
                        RETURNED(LOOK(2), 4),
                        .explains = true},
                       {.number = 3,
                        .thread = 2,
                        .method = "read",
                        .ret = INT(20),
                        .observer = true,
                        .call = LOOK(1),
                        .call_site = 5,
                        RETURNED(LOOK(1), 6),
                        .failing = true,
                        .explains = true}),
                   .nrepairs = 1,
                   .repairs = (uint64_t[]){2}},
       .stats = {.events = 8, .operations = 3, .commits = 2}}};

/* A mutator that must change the state returned without a commit. */
static fixture missing_commit
    = {.name = "missing-commit",
       .verdict = HD_VIOLATED,
       .log = {MULTISET_LOG},
       .result = {.verdict = HD_VIOLATED,
                  .object = "m",
                  .type = "multiset",
                  .object_id = 1,
                  .checked_to = 4,
                  .finding = {.kind = HD_FOUND_ANNOTATION,
                              .blame = HD_BLAME_ANNOTATION,
                              .headline = "InsertPair(5, 7) returned true without a commit",
                              .expected = "a commit between call and return: the specification changes its state",
                              .actual = "a return without one",
                              .suggestion = "put HD_COMMIT where InsertPair takes effect, inside the critical section",
                              .site = 3,
                              .position = LOOK(4),
                              OPS({.number = 12,
                                   .thread = 1,
                                   .method = "InsertPair",
                                   ARGS(INT(5), INT(7)),
                                   .ret = BOOL(true),
                                   .observer = true,
                                   .call = LOOK(2),
                                   .call_site = 1,
                                   RETURNED(LOOK(4), 3),
                                   .failing = true,
                                   .explains = true})}}};

/* A misplaced macro: there is no operation to draw, only a place. */
static fixture second_commit
    = {.name = "second-commit",
       .verdict = HD_VIOLATED,
       .log = {MULTISET_LOG},
       .result = {.verdict = HD_VIOLATED,
                  .object = "",
                  .type = "multiset",
                  .object_id = 7,
                  .finding = {.kind = HD_FOUND_ANNOTATION,
                              .headline = "T1 committed twice in one operation",
                              .suggestion = "remove one of the two commits, or make it conditional with HD_COMMIT_IF",
                              .site = 2,
                              .position = TICK(3)}}};

static fixture cut = {.name = "cut",
                      .verdict = HD_INCOMPLETE,
                      .log = {MULTISET_LOG, .lost = true, .dropped = 3, .ndamages = 1,
                              .damages = {{131072, "the chunk's checksum is wrong"}}},
                      .result = {.verdict = HD_INCOMPLETE,
                                 .object = "m",
                                 .type = "multiset",
                                 .object_id = 1,
                                 .views = true,
                                 .incomplete = (char *) "tick 5 is missing in the log",
                                 .checked_to = 5,
                                 .stats = {.events = 40, .operations = 1812, .commits = 300, .pending = 2}},
                      .note = "object 2 (queue \"q\") was not checked: no specification is given for its type"};

static fixture task
    = {.name = "task",
       .verdict = HD_VIOLATED,
       .log = {MULTISET_LOG},
       .result = {.verdict = HD_VIOLATED,
                  .object = "m",
                  .type = "multiset",
                  .object_id = 1,
                  .views = true,
                  .checked_to = 7,
                  .finding = {.kind = HD_FOUND_INTERNAL,
                              .blame = HD_BLAME_IMPLEMENTATION,
                              .headline = "the internal task compact changed the view of key \"north\"",
                              .why = "an internal task must leave the view as it was",
                              .site = 7,
                              .position = TICK(6),
                              OPS({INSERT_5_7},
                                  {.number = 16,
                                   .thread = 4,
                                   .internal = true,
                                   .method = "compact",
                                   .call = LOOK(4),
                                   .call_site = 7,
                                   RETURNED(TICK(8), 7),
                                   .failing = true,
                                   .explains = true},
                                  {.number = 18,
                                   .thread = 2,
                                   .method = "InsertPair",
                                   ARGS(INT(1), INT(2)),
                                   .call = LOOK(5),
                                   .call_site = 1}),
                              .ndifferences = 1,
                              .differences = (hd_key_difference[]){
                                  {.key = STR("north"),
                                   .spec_has = true,
                                   .spec_value = INT(2),
                                   .replica_has = true,
                                   .replica_value = INT(3),
                                   .nwriters = 1,
                                   .writers = (hd_writer_info[]){{4, 7, TICK(6), 16, (char *) "count", INT(3)}}}}}}};

static fixture invariant = {
    .name = "invariant",
    .verdict = HD_VIOLATED,
    .log = {MULTISET_LOG},
    .result = {.verdict = HD_VIOLATED,
               .object = "m",
               .type = "multiset",
               .object_id = 1,
               .views = true,
               .checked_to = 8,
               .finding = {.kind = HD_FOUND_INVARIANT,
                           .blame = HD_BLAME_IMPLEMENTATION,
                           .headline = "after InsertPair(6, 8) committed, the invariant does not hold: slot 3 is valid "
                                       "but empty",
                           .actual = "slot 3 is valid but empty",
                           .site = 2,
                           .position = TICK(7),
                           OPS({INSERT_6_8, .explains = true, .failing = true})}}};

static fixture undecided
    = {.name = "undecided",
       .verdict = HD_VIOLATED,
       .log = {REGISTER_LOG, .open = true},
       .result
       = {.verdict = HD_VIOLATED,
          .object = "r",
          .type = "register",
          .object_id = 1,
          .checked_to = 2,
          .incomplete = (char *) "the program did not close its log",
          .finding = {.kind = HD_FOUND_ORDER,
                      .blame = HD_BLAME_UNDECIDED,
                      .headline = "no order of write(20) and two reads explains what they returned",
                      .why = "an order exists only if two looks with equal stamps, of T2 and T3, are swapped",
                      .suggestion = "record a run in which every call and return ticks: then each has its own place",
                      .position = LOOK(2),
                      OPS({.number = 2,
                           .thread = 1,
                           .method = "write",
                           ARGS(INT(20)),
                           .nocommit = true,
                           .call = TICK(0),
                           .call_site = 1,
                           .explains = true},
                          {.number = 3,
                           .thread = 2,
                           .method = "read",
                           .ret = STR("a rather long text that cannot be shown in the column of labels as a whole"),
                           .observer = true,
                           .exceptional = true,
                           .call = LOOK(1),
                           .call_site = 5,
                           RETURNED(LOOK(2), 6),
                           .explains = true},
                          {.number = 4,
                           .thread = 3,
                           .method = "read",
                           .ret = INT(10),
                           .observer = true,
                           .call = LOOK(2),
                           .call_site = 5,
                           RETURNED(LOOK(2), 6),
                           .failing = true,
                           .explains = true})}}};

/* A history that was judged as a whole: lines instead of ticks, the legal prefix, the possible states. */
static fixture history
    = {.name = "history",
       .verdict = HD_VIOLATED,
       .log = {.nsites = 4,
               .nthreads = 2,
               .threads = {[1] = "process 4", [2] = "process 7"},
               .object = {.id = 1, .type = "register", .name = "register", .ticks = 8},
               .sites = {[1] = {.id = 1, .line = 101, .file = "run.hlog", .function = "", .method = "write"},
                         [2] = {.id = 2, .line = 104, .file = "run.hlog", .function = "", .method = ""},
                         [3] = {.id = 3, .line = 102, .file = "run.hlog", .function = "", .method = "read"},
                         [4] = {.id = 4, .line = 103, .file = "run.hlog", .function = "", .method = ""}}},
       .result = {.verdict = HD_VIOLATED,
                  .object = "register",
                  .type = "register",
                  .object_id = 1,
                  .checked_to = 5,
                  .finding = {.kind = HD_FOUND_ORDER,
                              .blame = HD_BLAME_IMPLEMENTATION,
                              .headline = "read() = 9 (thread 2, run.hlog:103): no order of the operations explains it",
                              .expected = "5 or 7",
                              .actual = "9",
                              .why = "no order of the operations explains what they returned",
                              .site = 4,
                              .position = LOOK(5),
                              .legal_operations = 8237,
                              .states_total = 10,
                              .nstates = 2,
                              .states = (char *[]){(char *) "5", (char *) "7"},
                              OPS({.number = 40,
                                   .thread = 1,
                                   .method = "write",
                                   ARGS(INT(7)),
                                   .nocommit = true,
                                   .windowed = true,
                                   .call = TICK(4),
                                   .window = TICK(4),
                                   .call_site = 1,
                                   RETURNED(TICK(5), 2),
                                   .explains = true},
                                  {.number = 41,
                                   .thread = 2,
                                   .method = "read",
                                   .ret = INT(9),
                                   .observer = true,
                                   .call = LOOK(5),
                                   .call_site = 3,
                                   RETURNED(LOOK(5), 4),
                                   .failing = true,
                                   .explains = true})}}};

/* A window that was open at every commit but the first. */
static fixture waits = {
    .name = "waits",
    .verdict = HD_INCOMPLETE,
    .log = {MULTISET_LOG},
    .result = {.verdict = HD_INCOMPLETE,
               .object = "m",
               .type = "multiset",
               .object_id = 1,
               .views = true,
               .checked_to = 9,
               .incomplete = (char *) "the last states were not compared",
               .wait = {.from = 3, .to = 8, .to_end = true, .method = "Delete", .number = 15, .thread = 4, .site = 8},
               .stats = {.operations = 9, .commits = 4, .view_comparisons = 1, .views_skipped = 3}}};

static fixture holds = {.name = "holds",
                        .verdict = HD_HOLDS,
                        .log = {MULTISET_LOG},
                        .result = {.verdict = HD_HOLDS,
                                   .object = "m",
                                   .type = "multiset",
                                   .object_id = 1,
                                   .views = true,
                                   .checked_to = 9,
                                   .stats = {.events = 3000000,
                                             .operations = 1000000,
                                             .returned = 1000000,
                                             .commits = 400000,
                                             .windows = 12,
                                             .observers = 500000,
                                             .uncommitted = 100000,
                                             .internal = 1,
                                             .writes = 800000,
                                             .view_comparisons = 400000,
                                             .keys_compared = 600000,
                                             .applications = 1000000,
                                             .configurations_peak = 2,
                                             .configurations_made = 24,
                                             .open_peak = 8,
                                             .ticks = 400001,
                                             .views_skipped = 3},
                                   .wait = {.from = 1200, .to = 1207, .method = "Delete", .number = 77, .thread = 2}}};

static fixture *const fixtures[] = {&lookup, &view,      &inversion, &suspect, &missing_commit, &second_commit, &cut,
                                    &task,   &invariant, &undecided, &holds,   &history,        &waits};
#define NFIXTURES (sizeof fixtures / sizeof *fixtures)

#endif
