/* options.c: the table of commands and options, and --help, which is made from it. */
#include <limits.h>
#include <string.h>

#include "cli/cli.h"
#include "history/history.h"
#include "trace/trace.h"

const hd_command hd_command_table[] = {
    {.name = "check",
     .bit = HD_CMD_CHECK,
     .summary = "judge a recorded log or a plain history",
     .usage = "LOG... --spec PATH [OPTION]...",
     .examples = "heddle check run.hlog --spec ./multiset.so\n"
                 "heddle check --history history.edn --spec queue\n",
     .operands = "LOG",
     .min_operands = 1,
     .max_operands = INT_MAX},
    {.name = "run",
     .bit = HD_CMD_RUN,
     .summary = "run a program and judge it meanwhile",
     .usage = "--spec PATH [OPTION]... -- PROG [ARG]...",
     .examples = "heddle run --spec ./multiset.so -- ./stress 8\n",
     .operands = "PROG",
     .program = true},
    {.name = "log",
     .bit = HD_CMD_LOG,
     .summary = "look into a log: print, stats, cut",
     .usage = "print|stats|cut LOG [OPTION]...",
     .examples = "heddle log print run.hlog --object multiset\n"
                 "heddle log stats run.hlog\n"
                 "heddle log cut run.hlog --to 1000 -o first.hlog\n",
     .operands = "print|stats|cut LOG",
     .min_operands = 2,
     .max_operands = 2},
    {.name = "history",
     .bit = HD_CMD_HISTORY,
     .summary = "turn plain histories into other forms and into logs",
     .usage = "convert FILE [-o OUT] [OPTION]...",
     .examples = "heddle history convert history.edn --spec queue -o queue.hlog\n"
                 "heddle history convert etcd_002.log --into=jsonl\n",
     .operands = "convert FILE",
     .min_operands = 2,
     .max_operands = 2},
    {.name = "spec",
     .bit = HD_CMD_SPEC,
     .summary = "list the built-in specifications, or show one",
     .usage = "list | show NAME",
     .examples = "heddle spec show queue\n"
                 "heddle spec list\n",
     .operands = "list or show NAME",
     .min_operands = 1,
     .max_operands = 2},
    {.name = "control",
     .bit = HD_CMD_CONTROL,
     .summary = "verify a concurrency controller, make fast code of it, draw it",
     .usage = "verify|simulate|graph|generate|recheck FILE... [OPTION]...",
     .examples = "heddle control verify rw.h --threads 1..4\n"
                 "heddle control verify buffer.h --threads 3 --const size=2\n"
                 "heddle control generate rw.h -o rw_fast.h\n"
                 "heddle control simulate rw.h --threads 2\n"
                 "heddle control graph rw.h --svg >rw.svg\n"
                 "heddle control recheck rw.h rw.certificate\n",
     .operands = "verify|simulate|graph|generate FILE, recheck FILE CERTIFICATE",
     .min_operands = 2,
     .max_operands = 3},
    {.name = "monitor",
     .bit = HD_CMD_MONITOR,
     .summary = "judge threads: races, atomicity, deadlocks, temporal properties",
     .usage = "[OPTION]... -- PROG [ARG]... | --trace FILE",
     .program = true,
     .program_optional = true,
     .examples = "heddle monitor --race -- ./prog\n"
                 "heddle monitor --race --predict --deadlock --atomic transfer -- ./prog\n"
                 "heddle monitor --property bank.mttl --on-violation=stop -- ./prog\n"
                 "heddle monitor --trace run.htrace\n"
                 "heddle monitor --trace run.std --race --suppressions known.txt\n",
     .operands = "trace"},
    {.name = "trace",
     .bit = HD_CMD_TRACE,
     .summary = "record a trace, or look into one: show, stats, convert",
     .usage = "show|stats|convert FILE | record [OPTION]... -- PROG...",
     .program = true,
     .program_optional = true,
     .examples = "heddle trace record -o run.htrace -- ./prog\n"
                 "heddle trace show run.htrace --from 100 --to 120\n"
                 "heddle trace stats run.htrace\n"
                 "heddle trace convert run.htrace -o run.std\n",
     .operands = "show|stats|convert FILE, record",
     .min_operands = 1,
     .max_operands = 2},
    {.name = "prove",
     .bit = HD_CMD_PROVE,
     .summary = "prove programs in the Boogie language, layered ones too",
     .usage = "FILE... [OPTION]...",
     .examples = "heddle prove lock.bpl\n"
                 "heddle prove lock.bpl --solver portfolio -j 4 --cache proofs\n",
     .operands = "FILE", /* at least one, except with --explain */
     .max_operands = INT_MAX},
};
const size_t hd_command_count = sizeof hd_command_table / sizeof *hd_command_table;

#define FIELD(f) .field = offsetof(hd_cli_options, f)

/* In the order of --help and of the manual pages. */
const hd_option hd_option_table[] = {
    {.name = "spec",
     .kind = HD_OPTION_LIST,
     .value = "PATH",
     .commands = HD_CMD_CHECK | HD_CMD_RUN | HD_CMD_HISTORY,
     FIELD(specs),
     .help = "specification: a shared library or a built-in name",
     .manual = "Judge by this specification: a shared library, or the name of a built-in one.\n"
               "Give the option once for each type of object in the log.\n"
               "Loading a shared library runs its code: load none that you would not run.\n"},
    {.name = "view",
     .kind = HD_OPTION_CHOICE,
     .value = "touched|full|off",
     .commands = HD_CMD_CHECK | HD_CMD_RUN,
     FIELD(view),
     .help = "view keys to compare at each commit (touched)",
     .manual = "Which keys of the view to compare at each commit:\n"
               "those that the operation touched (the default), all of them (slow; it finds\n"
               "view functions that do not declare what they touch), or none, which leaves I/O\n"
               "refinement.\n"},
    {.name = "paranoid",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_CHECK | HD_CMD_RUN,
     FIELD(paranoid),
     .help = "check the specification too",
     .manual = "Check the specification too: that its steps are deterministic, that a rejected\n"
               "step leaves the state alone, that it declares every key it touches.\n"},
    {.name = "object",
     .kind = HD_OPTION_LIST,
     .value = "NAME",
     .commands = HD_CMD_LOGS,
     FIELD(objects),
     .help = "only the object of this name (may be repeated)",
     .manual = "Only the object of this name; may be repeated.\n"},
    {.name = "log",
     .kind = HD_OPTION_TEXT,
     .value = "FILE",
     .commands = HD_CMD_RUN,
     FIELD(log),
     .help = "keep the log in FILE",
     .manual = "Keep the log in this file, for\n.Xr heddle-check 1\nand\n.Xr heddle-log 1 .\n"},
    {.name = "policy",
     .kind = HD_OPTION_CHOICE,
     .value = "spill|block|drop",
     .commands = HD_CMD_RUN,
     FIELD(policy),
     .help = "when the check falls behind the program (spill)",
     .manual = "What to do when the check falls behind the program: let the log grow on disk\n"
               "(the default), let the program wait, or drop operations.\n"
               "A log with drops is never reported as correct.\n"},
    {.name = "thread",
     .kind = HD_OPTION_NUMBER,
     .value = "N",
     .commands = HD_CMD_LOG,
     FIELD(thread),
     .min = 1,
     .max = UINT32_MAX,
     .help = "only thread N, as numbered in reports",
     .manual = "Only the thread of this number, as reports show it.\n"},
    {.name = "from",
     .kind = HD_OPTION_NUMBER,
     .value = "TICK",
     .commands = HD_CMD_LOG,
     FIELD(from),
     .max = UINT64_MAX,
     .help = "only from this value of the object's clock on",
     .manual = "Only what happened when the object's clock showed this value or a later one.\n"},
    {.name = "to",
     .kind = HD_OPTION_NUMBER,
     .value = "TICK",
     .commands = HD_CMD_LOG,
     FIELD(to),
     .max = UINT64_MAX,
     .help = "only before this value of the object's clock",
     .manual = "Only what happened before the object's clock showed this value.\n"},
    {.name = "output",
     .letter = 'o',
     .kind = HD_OPTION_TEXT,
     .value = "FILE",
     .commands = HD_CMD_LOG | HD_CMD_HISTORY | HD_CMD_CONTROL | HD_CMD_TRACE,
     FIELD(output),
     .help = "write the new log, history, trace or code here",
     .manual = "Where\n.Cm cut ,\n.Cm convert ,\n.Cm record\nor\n.Cm generate\nwrites what it makes.\n"},
    {.name = "history",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_CHECK,
     FIELD(history),
     .help = "the file is a plain history: calls and returns",
     .manual = "The operand is a plain history in one of the forms of\n.Xr heddle-history 1 .\n"},
    {.name = "format",
     .kind = HD_OPTION_CHOICE,
     .value = HD_HISTORY_FORMS,
     .commands = HD_CMD_HISTORY | HD_CMD_CHECK,
     FIELD(format),
     .help = "form of the history (by content)",
     .manual = "The form that the history has, if it is not recognised by its content.\n"},
    {.name = "into",
     .kind = HD_OPTION_CHOICE,
     .value = "auto|jsonl|edn|synthetic|log",
     .commands = HD_CMD_HISTORY,
     FIELD(into),
     .help = "form to write (by the name of the output)",
     .manual = "The form to write.\n"
               "By default the ending of the output's name decides: jsonl, edn, txt (synthetic)\n"
               "or hlog (a log).\n"},
    {.name = "ignore-commits",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_HISTORY | HD_CMD_CHECK,
     FIELD(ignore_commits),
     .help = "leave out the commits that the history has",
     .manual = "Leave out the commits that the history has: calls and returns alone remain.\n"},
    {.name = "no-partition",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_CHECK,
     FIELD(no_partition),
     .help = "do not judge the keys of an object one by one",
     .manual = "Do not judge the keys of a map, set or multiset one by one where nothing joins them.\n"
               "The answer is the same; this shows what the cut into parts buys.\n"},
    {.name = "threads",
     .kind = HD_OPTION_TEXT,
     .value = "N",
     .commands = HD_CMD_CONTROL,
     FIELD(threads),
     .help = "so many threads, or from..to: 1..4",
     .manual = "With this many threads, or with each number of a range such as 1..4 in turn.\n"
               "A range without an end, 2.., is proved, as are all numbers without this option.\n"},
    {.name = "const",
     .kind = HD_OPTION_LIST,
     .value = "NAME=VALUE",
     .commands = HD_CMD_CONTROL,
     FIELD(constants),
     .help = "value of a constant (all from 0 to 3)",
     .manual = "The value of a constant; may be repeated.\n"
               "A constant without a value gets, one after the other, all values from 0 to 3 that\n"
               "the file's assumptions allow.\n"},
    {.name = "property",
     .kind = HD_OPTION_LIST,
     .value = "NAME",
     .commands = HD_CMD_CONTROL,
     FIELD(properties),
     .help = "judge this property alone",
     .manual = "Judge this property and no other; may be repeated.\n"},
    {.name = "states",
     .kind = HD_OPTION_NUMBER,
     .value = "N",
     .commands = HD_CMD_CONTROL,
     FIELD(states),
     .min = 1,
     .max = UINT32_MAX - 1,
     .help = "give up beyond so many states (5000000): incomplete",
     .manual = "Give up when a search has found this many states, 5 million by default and 1000\n"
               "for\n.Cm graph .\nThe answer is then incomplete and the exit status 3.\n"},
    {.name = "deadlock",
     .kind = HD_OPTION_CHOICE,
     .value = "report|forbid",
     .commands = HD_CMD_CONTROL,
     FIELD(deadlock),
     .help = "is a deadlock a violation? (report)",
     .manual = "Whether a deadlock is only reported (the default), or counts as a violation.\n"},
    {.name = "symbolic",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_CONTROL,
     FIELD(symbolic),
     .help = "with --threads: prove it for all constants too",
     .manual = "With\n.Fl -threads :\nprove the properties for these numbers of threads and all values of the\n"
               "constants, instead of looking at every state.\n"},
    {.name = "certificate",
     .kind = HD_OPTION_TEXT,
     .value = "FILE",
     .commands = HD_CMD_CONTROL,
     FIELD(certificate),
     .help = "write the proofs here, for recheck",
     .manual = "Write the proofs of what holds to this file;\n.Cm recheck\nchecks them again.\n"
               "Implies\n.Fl -symbolic .\n"},
    {.name = "cross-check",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_CONTROL,
     FIELD(cross_check),
     .help = "ask z3 for a second opinion",
     .manual = "Ask the solver\n.Xr z3 1\nthe same questions, as Horn clauses, and compare the answers.\n"
               "It is asked about safety properties and deadlocks, for at most 20 seconds each, or\nas long as\n"
               ".Fl Fl time\nsays.\n"
               "A disagreement makes the answer incomplete, and so does a z3 that is not\ninstalled or fails;\n"
               "that it has no answer in time does not.\n"},
    {.name = "fair",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_CONTROL,
     FIELD(fair),
     .help = "every thread that can always go on does",
     .manual = "Judge every property under weak fairness, not only those of\n.Dv SPEC_FAIR .\n"},
    {.name = "no-replay",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_CONTROL,
     FIELD(no_replay),
     .help = "do not execute traces on the controller's code",
     .manual = "Do not execute the traces of violations on the controller's code.\n"
               "This needs no C compiler.\n"},
    {.name = "svg",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_CONTROL,
     FIELD(svg),
     .help = "graph: a drawing instead of text for dot",
     .manual = "Let\n.Cm graph\nprint a drawing in SVG, made by\n.Xr dot 1\nif that is installed.\n"},
    {.name = "backend",
     .kind = HD_OPTION_CHOICE,
     .value = "futex|lock|pthread|model",
     .commands = HD_CMD_CONTROL,
     FIELD(backend),
     .help = "generate: with what",
     .manual = "What the code of\n.Cm generate\nis made of: Linux' futexes, with all variables in one word where they "
               "fit (the\n"
               "default) or behind a lock, or POSIX threads for any system.\n"
               "With\n.Cm model\nthere is no code; the models of the wake-ups that are proved are written instead,\n"
               "one controller file NAME_ACTION.h for each blocking action, into the folder that\n.Fl o\nnames.\n"},
    {.name = "random",
     .kind = HD_OPTION_TEXT,
     .value = "SEED",
     .commands = HD_CMD_CONTROL,
     FIELD(random),
     .help = "simulate: choose steps at random",
     .manual = "Let\n.Cm simulate\nchoose the steps itself, the same ones for the same seed.\n"},
    {.name = "steps",
     .kind = HD_OPTION_NUMBER,
     .value = "N",
     .commands = HD_CMD_CONTROL,
     FIELD(steps),
     .min = 1,
     .max = UINT32_MAX,
     .help = "simulate: how many random steps (20)",
     .manual = "How many steps\n.Fl Fl random\ntakes, 20 by default.\n"},
    {.name = "trace",
     .kind = HD_OPTION_TEXT,
     .value = "FILE",
     .commands = HD_CMD_MONITOR,
     FIELD(trace),
     .help = "judge this trace (-: standard input)",
     .manual = "Judge this trace, in one of the forms of\n.Xr heddle-trace 1 .\n.Ql -\nis the standard input.\n"},
    {.name = "race",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_MONITOR,
     FIELD(race),
     .help = "look for races, also predicted ones",
     .manual = "Look for races: those that happened, and those that another schedule would show.\n"
               "Without this option,\n.Fl Fl atomic\nand\n.Fl Fl deadlock ,\nlook for everything.\n"},
    {.name = "atomic",
     .kind = HD_OPTION_MAYBE,
     .value = "F,G",
     .commands = HD_CMD_MONITOR | HD_CMD_TRACE,
     FIELD(atomic),
     .help = "blocks, or these functions, must be atomic",
     .manual = "Look for atomic blocks that no serial order explains.\n"
               "Of a program, the calls of these functions are the blocks; the trace that\n"
               ".Ql heddle trace record\nwrites then has them.\n"},
    {.name = "deadlock",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_MONITOR,
     FIELD(deadlocks),
     .help = "look for locks taken in orders that may deadlock",
     .manual = "Look for cycles in which threads may wait for each other\\(aqs locks.\n"},
    {.name = "property",
     .kind = HD_OPTION_LIST,
     .value = "FILE",
     .commands = HD_CMD_MONITOR,
     FIELD(properties),
     .help = "judge the properties of threads in this file",
     .manual = "Judge the program, while it runs, or the trace by the properties in this file, and by nothing\n"
               "else; may be repeated.\n"
               "Some are installed in\n.Pa share/heddle/properties .\n"},
    {.name = "on-violation",
     .kind = HD_OPTION_CHOICE,
     .value = "report|continue|stop|abort|call",
     .commands = HD_CMD_MONITOR,
     FIELD(on_violation),
     .help = "when a property is violated",
     .manual = "With\n.Fl -property\nand a program: what it does when a property is violated.\n"
               ".Cm report :\nwhat the property says itself, the default;\n.Cm continue :\ngo on;\n"
               ".Cm stop :\nend at once, without running anything more of the program;\n"
               ".Cm abort :\nthe same with\n.Dv SIGABRT ,\nwhich leaves a core;\n"
               ".Cm call :\ncall the function that the program gave to\n.Fn hd_on_violation ,\nand go on.\n"},
    {.name = "predict",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_MONITOR,
     FIELD(predict),
     .help = "program: also races that another schedule shows",
     .manual = "Record the run of the program and look for races that another schedule would show.\n"
               "Traces are always judged so; a program is if it is recorded, which\n.Fl Fl atomic\nand\n"
               ".Fl Fl deadlock\nask for, too.\n"},
    {.name = "schedules",
     .kind = HD_OPTION_TEXT,
     .value = "N",
     .commands = HD_CMD_MONITOR,
     FIELD(schedules),
     .help = "program: up to N runs with random delays",
     .manual = "Run the program again and again, at most N times, until something is found.\n"
               "In each run threads are held up at random where they begin or synchronise, so that they meet in other\n"
               "ways; the number of a schedule is the seed of its delays, and\n.Ql A..B\nasks for these alone.\n"},
    {.name = "no-predict",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_MONITOR,
     FIELD(no_predict),
     .help = "only races that happened",
     .manual = "Do not predict races: only those that happened in this execution.\n"},
    {.name = "suppressions",
     .kind = HD_OPTION_TEXT,
     .value = "FILE",
     .commands = HD_CMD_MONITOR,
     FIELD(suppressions),
     .help = "what not to report, as ThreadSanitizer has it",
     .manual = "A file that says what not to report, in the format of ThreadSanitizer, see\n.Sx SUPPRESSIONS .\n"},
    {.name = "verdicts",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_MONITOR,
     FIELD(verdicts),
     .help = "one line: hb, hb_vars, syncp, atomic",
     .manual = "Print one line with tabs: is there a race that happened (yes or no), the variables that\n"
               "have one, is there a predicted race, are all blocks serialisable.\n"},
    {.name = "format",
     .kind = HD_OPTION_CHOICE,
     .value = HD_TRACE_FORMS,
     .commands = HD_CMD_MONITOR | HD_CMD_TRACE,
     FIELD(trace_format),
     .help = "form of the trace (by content)",
     .manual = "The form that the trace has, if it is not recognised by its content.\n"},
    {.name = "into",
     .kind = HD_OPTION_CHOICE,
     .value = HD_TRACE_FORMS,
     .commands = HD_CMD_TRACE,
     FIELD(into),
     .help = "form to write (by the name of the output)",
     .manual = "The form to write.\n"
               "By default the ending of the output\\(aqs name decides: htrace, or else std.\n"},
    {.name = "from",
     .kind = HD_OPTION_NUMBER,
     .value = "EVENT",
     .commands = HD_CMD_TRACE,
     FIELD(from),
     .max = UINT64_MAX,
     .help = "only from the event of this number on",
     .manual = "Only the event of this number and later ones.\n"},
    {.name = "to",
     .kind = HD_OPTION_NUMBER,
     .value = "EVENT",
     .commands = HD_CMD_TRACE,
     FIELD(to),
     .min = 1,
     .max = UINT64_MAX,
     .help = "only up to the event of this number",
     .manual = "Only the event of this number and earlier ones.\n"},
    {.name = "solver",
     .kind = HD_OPTION_CHOICE,
     .value = "z3|cvc5|portfolio",
     .commands = HD_CMD_PROVE,
     FIELD(solver),
     .help = "who proves: z3, cvc5, or both at once (z3)",
     .manual = "The solver to ask:\n.Xr z3 1\n(the default),\n.Xr cvc5 1 ,\nor both at once, of which the first answer "
               "counts.\n"},
    {.name = "cache",
     .kind = HD_OPTION_TEXT,
     .value = "DIR",
     .commands = HD_CMD_PROVE,
     FIELD(cache),
     .help = "remember here what was proved",
     .manual = "A folder that remembers what was proved: a condition with the same text is not sent to\n"
               "the same version of the same solver again.\n"},
    {.name = "dump-smt",
     .kind = HD_OPTION_TEXT,
     .value = "DIR",
     .commands = HD_CMD_PROVE,
     FIELD(dump_smt),
     .help = "write the conditions here, as SMT-LIB",
     .manual = "Write the condition of each procedure into this folder, in the language SMT-LIB.\n"},
    {.name = "infer-modifies",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_PROVE,
     FIELD(infer_modifies),
     .help = "compute what procedures modify",
     .manual = "Compute the modifies clauses instead of checking those that are written.\n"},
    {.name = "no-array-theory",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_PROVE,
     FIELD(no_array_theory),
     .help = "maps are functions with axioms, never compared",
     .manual = "Let the solver see maps as functions with axioms about reading and writing, instead of by\n"
               "its own theory of arrays.\n"
               "Two maps that are equal everywhere are then not known to be equal, so less can be proved;\n"
               "some programs with many quantifiers are faster this way.\n"},
    {.name = "module",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_PROVE,
     FIELD(modules),
     .help = "each file is a module and owns its variables",
     .manual = "Each file is a module that owns its global variables, so that only files that own the\n"
               "same variables are checked against each other.\n"
               "A use of a foreign variable is an error.\n"},
    {.name = "only-module",
     .kind = HD_OPTION_TEXT,
     .value = "NAME",
     .commands = HD_CMD_PROVE,
     FIELD(only_module),
     .help = "prove this module only (implies --module)",
     .manual = "Prove what belongs to this module, a file\\(aqs name without its extension, and only read the\n"
               "others.\n"},
    {.name = "dump-layer",
     .kind = HD_OPTION_TEXT,
     .value = "N",
     .commands = HD_CMD_PROVE,
     FIELD(dump_layer),
     .help = "print the program of this layer, prove nothing",
     .manual
     = "Print the procedures of layer\n.Ar N\nas they are proved, with all that they need, and prove nothing.\n"},
    {.name = "explain",
     .kind = HD_OPTION_TEXT,
     .value = "CHECK",
     .commands = HD_CMD_PROVE,
     FIELD(explain),
     .help = "say what this kind of check means",
     .manual = "Say in five lines what a kind of check means, such as\n.Cm commutativity ;\nno file is needed.\n"},
    {.name = "boogie-output",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_PROVE,
     FIELD(boogie_output),
     .help = "answer in the form that Boogie 2.4.1 has",
     .manual = "Answer in the form of Boogie 2.4.1, for comparison.\n"},
    {.name = "jobs",
     .letter = 'j',
     .kind = HD_OPTION_NUMBER,
     .value = "N",
     .commands = HD_CMD_CHECK | HD_CMD_RUN | HD_CMD_PROVE,
     FIELD(jobs),
     .min = 1,
     .max = 1024,
     .help = "threads to check with (the number of processors)",
     .manual = "Check with this many threads, objects and independent parts of them side by side.\n"
               "The default is the number of processors.\n"},
    {.name = "time",
     .kind = HD_OPTION_SECONDS,
     .value = "SECONDS",
     .commands = HD_CMD_CHECK | HD_CMD_RUN | HD_CMD_CONTROL | HD_CMD_MONITOR | HD_CMD_PROVE,
     FIELD(time),
     .help = "give up after this time: incomplete, status 3",
     .manual = "Give up after this time.\nThe check is then incomplete and the exit status 3.\n"
               "For\n.Cm heddle prove ,\nthe time is for each condition, in all the ways that "
               "solvers are asked about it together, 30 seconds by default.\n"},
    {.name = "memory",
     .kind = HD_OPTION_NUMBER,
     .value = "MIB",
     .commands = HD_CMD_CHECK | HD_CMD_RUN,
     FIELD(memory),
     .min = 1,
     .max = UINT64_MAX >> 20,
     .help = "give up beyond this much memory: incomplete",
     .manual = "Give up when the check needs more memory than this many mebibytes.\n"
               "The check is then incomplete and the exit status 3.\n"},
    {.name = "json",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_LOGS | HD_CMD_CONTROL | HD_CMD_MONITOR | HD_CMD_TRACE | HD_CMD_PROVE,
     FIELD(json),
     .help = "answer in JSON, for programs",
     .manual = "Answer in JSON, for programs.\n"},
    {.name = "sarif",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_MONITOR | HD_CMD_PROVE,
     FIELD(sarif),
     .help = "answer in SARIF 2.1.0, for editors and reviews",
     .manual = "Answer in SARIF 2.1.0, which editors and code review tools show beside the source.\n"
               "From\n.Cm heddle monitor :\nwhat it finds, but for properties;\n"
               "from\n.Cm heddle prove :\nthe checks that fail.\n"},
    {.name = "stats",
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_CHECK | HD_CMD_RUN | HD_CMD_PROVE,
     FIELD(stats),
     .help = "say how much was checked, how fast, with what memory",
     .manual = "Say how many operations, commits and configurations were checked, with how much\n"
               "memory and how fast; of proofs, how many conditions and assertions of each kind and at each\n"
               "layer, and the time that they took.\n"},
    {.name = "color",
     .kind = HD_OPTION_CHOICE,
     .value = "auto|always|never",
     .commands = HD_CMD_LOGS,
     FIELD(color),
     .help = "colours (auto: on a terminal)",
     .manual = "Use colours: on a terminal (the default), always or never.\n"
               "A set\n.Ev NO_COLOR\nmeans never, unless the option says\n.Cm always .\n"},
    {.name = "quiet",
     .letter = 'q',
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_LOGS | HD_CMD_CONTROL | HD_CMD_MONITOR | HD_CMD_TRACE | HD_CMD_PROVE,
     FIELD(quiet),
     .help = "print violations and errors only",
     .manual = "Print violations and errors only, and no progress line.\n"},
    {.name = "verbose",
     .letter = 'v',
     .kind = HD_OPTION_COUNT,
     .commands = HD_CMD_LOGS | HD_CMD_MONITOR,
     FIELD(verbose),
     .help = "say more",
     .manual = "Say more; may be repeated.\n"},
    {.name = "help",
     .letter = 'h',
     .kind = HD_OPTION_FLAG,
     .commands = HD_CMD_ALL,
     FIELD(help),
     .help = "print this",
     .manual = "Print a short help.\n"},
};
const size_t hd_option_count = sizeof hd_option_table / sizeof *hd_option_table;

const hd_command *
hd_command_find(const char *name)
{
  for (size_t i = 0; i < hd_command_count; i++)
    if (strcmp(hd_command_table[i].name, name) == 0)
      return &hd_command_table[i];
  return NULL;
}

/* "  -j, --jobs N" */
static void
option_head(hd_string *out, const hd_option *option)
{
  if (option->letter)
    hd_string_printf(out, "  -%c, --%s", option->letter, option->name);
  else
    hd_string_printf(out, "  --%s", option->name);
  if (option->value)
    hd_string_printf(out, "%c%s", option->kind == HD_OPTION_CHOICE ? '=' : ' ', option->value);
}

void
hd_options_help(hd_string *out, const hd_command *command)
{
  enum
  {
    HELP_COLUMN = 28
  };
  const char *end = strchr(command->examples, '\n');
  hd_string_printf(out, "Example: %.*s\n\n", (int) (end - command->examples), command->examples);
  hd_string_printf(out, "Usage: heddle %s %s\n", command->name, command->usage);
  for (size_t i = 0; i < hd_option_count; i++)
  {
    const hd_option *option = &hd_option_table[i];
    if (!(option->commands & command->bit))
      continue;
    size_t start = out->length;
    option_head(out, option);
    size_t width = out->length - start;
    hd_string_printf(out, "%*s%s\n", width < HELP_COLUMN ? (int) (HELP_COLUMN - width) : 1, "", option->help);
  }
  hd_string_printf(out,
                   "Exit status: 0 holds, 1 violated, 2 bad usage or input, 3 incomplete.\n"
                   "The whole story: heddle help %s\n",
                   command->name);
}
