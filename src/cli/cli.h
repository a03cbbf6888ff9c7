/* cli.h: what the commands of heddle share: the table of commands and options, its parser, and the terminal.
 *
 * options.c holds the one table. --help, the manual pages and the shell completion are made from it, and one option
 * means one thing in every command. To add an option: a line in that table and a field in hd_cli_options. */
#ifndef HD_CLI_H
#define HD_CLI_H

#include "base/base.h"

/* ---- the table ---- */

enum hd_command_bit
{
  HD_CMD_CHECK = 1 << 0,
  HD_CMD_RUN = 1 << 1,
  HD_CMD_LOG = 1 << 2,
  HD_CMD_HISTORY = 1 << 3,
  HD_CMD_SPEC = 1 << 4,
  HD_CMD_CONTROL = 1 << 5,
  HD_CMD_MONITOR = 1 << 6,
  HD_CMD_TRACE = 1 << 7,
  HD_CMD_PROVE = 1 << 8,
  HD_CMD_LOGS = HD_CMD_CHECK | HD_CMD_RUN | HD_CMD_LOG, /* those that are about logs */
  HD_CMD_ALL
  = HD_CMD_LOGS | HD_CMD_HISTORY | HD_CMD_SPEC | HD_CMD_CONTROL | HD_CMD_MONITOR | HD_CMD_TRACE | HD_CMD_PROVE,
};

typedef struct hd_command
{
  const char *name;
  uint32_t bit; /* enum hd_command_bit */
  const char *summary;
  const char *usage;    /* after "heddle NAME " */
  const char *examples; /* lines; the first one starts --help */
  const char *operands; /* what the operands are, for messages: "LOG" */
  int min_operands, max_operands;
  bool program; /* takes -- PROG ARGS */
  bool program_optional;
} hd_command;

typedef enum hd_option_kind
{
  HD_OPTION_FLAG,    /* bool */
  HD_OPTION_COUNT,   /* int: how often it was given */
  HD_OPTION_TEXT,    /* const char * */
  HD_OPTION_MAYBE,   /* const char *: the value may be left out, then it is "" */
  HD_OPTION_LIST,    /* hd_cli_list: may be repeated */
  HD_OPTION_NUMBER,  /* uint64_t, MIN .. MAX */
  HD_OPTION_SECONDS, /* double, above 0 */
  HD_OPTION_CHOICE,  /* int: index into the words of VALUE, which are separated by | */
} hd_option_kind;

typedef struct hd_option
{
  const char *name; /* without the dashes */
  char letter;      /* or 0 */
  hd_option_kind kind;
  const char *value;  /* what the value is: "PATH", "touched|full|off"; NULL: none */
  uint32_t commands;  /* bits of the commands that take it */
  size_t field;       /* offset in hd_cli_options */
  uint64_t min, max;  /* of a number */
  const char *help;   /* for --help: short, without a full stop */
  const char *manual; /* for the manual page: mdoc text, whole sentences */
} hd_option;

extern const hd_command hd_command_table[];
extern const size_t hd_command_count;
extern const hd_option hd_option_table[];
extern const size_t hd_option_count;

const hd_command *hd_command_find(const char *name); /* NULL: there is none */

/* ---- parsed options ---- */

typedef struct hd_cli_list
{
  const char **items;
  size_t n, cap;
} hd_cli_list;

enum hd_color
{
  HD_COLOR_AUTO,
  HD_COLOR_ALWAYS,
  HD_COLOR_NEVER
};

enum hd_policy_choice
{
  HD_POLICY_SPILL,
  HD_POLICY_BLOCK,
  HD_POLICY_DROP
};

enum hd_deadlock_choice
{
  HD_DEADLOCK_REPORT,
  HD_DEADLOCK_FORBID
};

enum hd_on_violation_choice
{
  HD_ON_VIOLATION_REPORT, /* as the properties say */
  HD_ON_VIOLATION_CONTINUE,
  HD_ON_VIOLATION_STOP,
  HD_ON_VIOLATION_ABORT,
  HD_ON_VIOLATION_CALL
};

/* Strings point into argv. Numbers that were not given are 0. */
typedef struct hd_cli_options
{
  const hd_command *command;
  bool help;

  hd_cli_list specs;   /* --spec */
  hd_cli_list objects; /* --object; none: all */
  int view;            /* an hd_view_mode (refine.h) */
  bool paranoid;
  uint64_t jobs;   /* never 0: the number of processors by default */
  double time;     /* seconds */
  uint64_t memory; /* MiB */
  bool json, sarif, stats, quiet;
  int verbose;
  int color; /* enum hd_color */

  const char *log; /* run: keep the log here */
  int policy;      /* run: enum hd_policy_choice */

  const char *output; /* log cut, history convert: -o */
  uint64_t thread;    /* log: 0: all */
  uint64_t from, to;  /* log: clock values; TO 0: to the end */

  bool history;        /* check: the operand is a plain history */
  int format;          /* an hd_history_form (history.h) */
  int into;            /* history convert: 0: as the name of the output says */
  bool ignore_commits; /* of a history */
  bool no_partition;   /* check: an object is judged as a whole */

  const char *threads;     /* control: "3", "1..4" or "2.." */
  hd_cli_list constants;   /* control: "size=3" */
  hd_cli_list properties;  /* control verify: judge these alone; monitor: files */
  uint64_t states;         /* control: bound of a search */
  int deadlock;            /* control verify: enum hd_deadlock_choice */
  bool fair;               /* control verify: under weak fairness */
  bool symbolic;           /* control verify: proofs although there is a number of threads */
  bool cross_check;        /* control verify: ask another solver too */
  const char *certificate; /* control verify: write the proofs here */
  bool no_replay;          /* control verify: do not execute traces on the code */
  bool svg;                /* control graph: draw it */
  const char *random;      /* control simulate: a seed */
  int backend;             /* control generate: an hd_generate_backend (generate.h) */
  const char *protocol;    /* control generate: a folder */
  uint64_t steps;          /* control simulate: how many at random */

  const char *trace;        /* monitor: judge this trace */
  int trace_format;         /* monitor, trace: an hd_trace_form (trace.h) */
  bool race;                /* monitor: look for these; none of the three: for all */
  const char *atomic;       /* monitor, trace record: "f,g" or ""; NULL: not asked for */
  bool deadlocks;           /* monitor: --deadlock */
  const char *schedules;    /* monitor, trace record: "3" or "2..4" */
  bool predict;             /* monitor: races of a program that it might have as well */
  bool no_predict;          /* monitor: only races that happened */
  bool verdicts;            /* monitor: one line */
  const char *suppressions; /* monitor: a file */
  int on_violation;         /* monitor --property -- PROG: enum hd_on_violation_choice */

  int solver;              /* prove: an hd_vc_solvers (vc.h) */
  const char *cache;       /* prove: a folder of what was proved */
  const char *dump_smt;    /* prove: a folder for the conditions */
  bool boogie_output;      /* prove: as the reference prints */
  bool infer_modifies;     /* prove: compute modifies clauses */
  bool no_array_theory;    /* prove: maps with axioms */
  bool modules;            /* prove: --module, each file owns its variables */
  const char *dump_layer;  /* prove: a number */
  const char *explain;     /* prove: the name of a check */
  const char *only_module; /* prove: the name of a module */

  hd_cli_list operands;
  char **program; /* after --: ends with a null pointer; NULL: none */
} hd_cli_options;

/* Read ARGV (ARGV[0] is the command's name) into *O, which need not be initialised. False: *ERROR says what is wrong
 * and what is allowed, in one or two lines. The caller frees *O either way. */
bool hd_options_read(const hd_command *command, int argc, char **argv, hd_cli_options *o, hd_string *error);
/* The form that commands use: prints errors on stderr, and the help if it was asked for. Returns HD_OPTIONS_GO_ON, or
 * the status to exit with (then *O is freed already). */
#define HD_OPTIONS_GO_ON (-1)
int hd_options_parse(const char *command, int argc, char **argv, hd_cli_options *o);
void hd_options_free(hd_cli_options *o);

/* What `heddle NAME --help` prints. */
void hd_options_help(hd_string *out, const hd_command *command);
/* The item of WORDS (N of them) that WORD may have been meant to be, or NULL. */
const char *hd_options_suggest(const char *word, const char *const *words, size_t n);

/* ---- the terminal ---- */

/* May colours be used on OUT? CHOICE is an enum hd_color; auto: OUT is a terminal, not a dumb one, and NO_COLOR is
 * not set. */
bool hd_terminal_color(int choice, FILE *out);
/* Columns of the terminal behind FD, 80 if it has none. */
unsigned hd_terminal_width(int fd);
uint64_t hd_terminal_now(void); /* monotonic nanoseconds */

/* A progress line on stderr: only on a terminal, not before two seconds, five times a second at most. Usage:
 *   hd_progress p = hd_progress_start(o.quiet);
 *   ... if (hd_progress_due(&p, hd_terminal_now())) hd_progress_show(&p, "%zu operations", n);
 *   hd_progress_end(&p);      before anything else is printed
 * One thread. */
typedef struct hd_progress
{
  FILE *out; /* NULL: nothing is ever shown */
  uint64_t next;
  bool shown;
} hd_progress;
hd_progress hd_progress_start(bool quiet);
bool hd_progress_due(hd_progress *p, uint64_t now);
void hd_progress_show(hd_progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hd_progress_end(hd_progress *p); /* wipes the line */

/* ---- commands: ARGV[0] is the command's name; the answer is the exit status ---- */
int hd_cmd_check(int argc, char **argv);
int hd_cmd_run(int argc, char **argv);
int hd_cmd_log(int argc, char **argv);
int hd_cmd_history(int argc, char **argv);
int hd_cmd_spec(int argc, char **argv);
int hd_cmd_control(int argc, char **argv);
int hd_control_generate(const hd_cli_options *o); /* control generate FILE */
int hd_control_recheck(const hd_cli_options *o);  /* control recheck FILE CERTIFICATE */
struct hd_controller;
struct hd_control_result;
/* Check the proofs of R again, and believe no other. */
void hd_control_confirm(const struct hd_controller *c, struct hd_control_result *r);
int hd_cmd_monitor(int argc, char **argv);
int hd_monitor_program(const hd_cli_options *o);    /* monitor -- PROG */
int hd_monitor_properties(const hd_cli_options *o); /* monitor --property FILE */
struct hd_mttl_file;
/* monitor --property FILE -- PROG; FILES: those of the options. */
int hd_monitor_watched_properties(const hd_cli_options *o, struct hd_mttl_file **files);
/* Judges TRACE, which the options do not name, as the options say; SHOWN is what it is called. NOTES: sentences that
 * belong to the report, a line each; may be NULL. */
struct hd_trace;
int hd_monitor_judge(const hd_cli_options *o, struct hd_trace *trace, const char *shown, const char *notes);
bool hd_monitor_needs_recording(const hd_cli_options *o); /* before it is judged, a run of the program is recorded */
int hd_trace_record(const hd_cli_options *o);             /* trace record -- PROG */
int hd_cmd_race_reports(int argc, char **argv);           /* what a program with HEDDLE_RACE=1 starts */
int hd_cmd_trace(int argc, char **argv);
int hd_cmd_prove(int argc, char **argv);
int hd_cmd_help(int argc, char **argv); /* help [CMD]: opens the manual page */

#endif
