/* cc.c: heddle-cc and heddle-c++: gcc or clang (HEDDLE_CC, HEDDLE_CXX), with the compiler's own thread instrumentation,
 * and with libheddle-rt in place of the sanitizer's library. Everything else is passed through.
 *
 * The instrumentation's option would also make the compiler link its own runtime, so what compiles and links in one
 * command is done in two steps. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef HD_LIBRARIES
#define HD_LIBRARIES "../lib" /* from the folder of heddle-cc */
#endif

extern char **environ;

typedef struct list
{
  char **items;
  size_t n, cap;
} list;

typedef struct job
{
  const char *compiler;
  bool clang, plus_plus;
  char library[PATH_MAX];  /* folder of libheddle-rt */
  list arguments;          /* as given, response files read */
  list options;            /* without inputs and what we take out */
  list link;               /* what the link sees: objects and libraries in order; sources as NULL */
  list sources, languages; /* in order; the language that -x gave each, or "" */
  char folder[64];         /* of objects in between; "" */
  bool compile_only, shared, is_static, partial, check_undefined, lto, debug, position, query;
} job;

static void
die(const char *format, ...)
{
  va_list more;
  va_start(more, format);
  fputs("heddle-cc: ", stderr);
  vfprintf(stderr, format, more);
  fputc('\n', stderr);
  va_end(more);
  exit(2);
}

static void
add(list *l, const char *item)
{
  if (l->n + 1 >= l->cap)
  {
    l->cap = l->cap ? 2 * l->cap : 64;
    l->items = realloc(l->items, l->cap * sizeof *l->items);
    if (!l->items)
      die("out of memory");
  }
  l->items[l->n++] = (char *) item;
  l->items[l->n] = NULL;
}

static void
add_all(list *to, const list *from)
{
  for (size_t i = 0; i < from->n; i++)
    add(to, from->items[i]);
}

static bool
starts(const char *s, const char *with)
{
  return strncmp(s, with, strlen(with)) == 0;
}

static bool
is(const char *s, const char *what)
{
  return strcmp(s, what) == 0;
}

/* ---- arguments ---- */

/* The words of response file PATH, as the compilers split them. */
static void
read_response(job *j, const char *path)
{
  FILE *f = fopen(path, "r");
  if (!f)
    die("%s cannot be read: %s", path, strerror(errno));
  char *word = NULL;
  size_t n = 0, cap = 0;
  bool open = false;
  int quote = 0;
  for (int c; (c = getc(f)) != EOF;)
  {
    bool space = !quote && strchr(" \t\r\n", c) && c;
    if (space && !open)
      continue;
    if (!space)
    {
      open = true;
      if (c == '\\')
        c = getc(f);
      else if (quote ? c == quote : c == '"' || c == '\'')
      {
        quote = quote ? 0 : c;
        continue;
      }
    }
    if (n + 2 > cap)
    {
      char *more = realloc(word, cap = 2 * cap + 64);
      if (!more)
        die("out of memory");
      word = more;
    }
    if (!space && c != EOF)
      word[n++] = (char) c;
    word[n] = 0;
    if (space)
    {
      add(&j->arguments, strdup(word));
      n = 0;
      open = false;
    }
  }
  if (open)
    add(&j->arguments, word ? strndup(word, n) : strdup(""));
  free(word);
  fclose(f);
}

static bool
is_source(const char *name)
{
  static const char *const endings[]
      = {".c", ".i", ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii", ".m", ".mm", ".s", ".S", ".sx"};
  const char *dot = strrchr(name, '.');
  if (is(name, "-"))
    return true;
  for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
    if (is(dot, endings[i]))
      return true;
  return false;
}

/* Options that are followed by an argument of their own. */
static bool
takes_argument(const char *option)
{
  static const char *const options[] = {"-o",
                                        "-I",
                                        "-D",
                                        "-U",
                                        "-L",
                                        "-l",
                                        "-include",
                                        "-imacros",
                                        "-isystem",
                                        "-iquote",
                                        "-idirafter",
                                        "-iprefix",
                                        "-isysroot",
                                        "-MF",
                                        "-MT",
                                        "-MQ",
                                        "-Xlinker",
                                        "-T",
                                        "-u",
                                        "-e",
                                        "-z",
                                        "-Xassembler",
                                        "-Xpreprocessor",
                                        "-Xclang",
                                        "-mllvm",
                                        "-target",
                                        "--param",
                                        "-aux-info",
                                        "-arch",
                                        "--sysroot",
                                        "-B",
                                        "-G",
                                        "-iwithprefix",
                                        "-iwithprefixbefore",
                                        "-imultilib",
                                        "-dumpbase",
                                        "-dumpdir",
                                        "-wrapper"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (is(option, options[i]))
      return true;
  return false;
}

static void
option(job *j, const char *a)
{
  if (is(a, "-c") || is(a, "-S") || is(a, "-E") || is(a, "-fsyntax-only") || is(a, "-M") || is(a, "-MM"))
    j->compile_only = true;
  else if (is(a, "-shared"))
    j->shared = true;
  else if (is(a, "-r"))
    j->partial = true;
  else if (is(a, "-static") || is(a, "-static-pie"))
  {
    j->is_static = true;
    return; /* -static-pie is what we link */
  }
  else if (is(a, "-no-pie") || is(a, "-nopie") || is(a, "-fno-pie") || is(a, "-fno-PIE") || is(a, "-fno-pic")
           || is(a, "-fno-PIC"))
    return; /* the shadow needs a position-independent program */
  else if (is(a, "-fpic") || is(a, "-fPIC"))
    j->position = true;
  else if (starts(a, "-flto") || starts(a, "-fwhole-program") || starts(a, "-ffat-lto")
           || starts(a, "-fuse-linker-plugin"))
  {
    j->lto = true;
    return;
  }
  else if (starts(a, "-g") && !is(a, "-g0"))
    j->debug = true;
  else if (is(a, "-fsanitize=thread"))
    return;
  else if (starts(a, "-fsanitize=") && !starts(a, "-fsanitize=undefined"))
    die("%s does not go together with what heddle-cc adds (-fsanitize=thread); leave it out", a);
  else if (starts(a, "--version") || starts(a, "-dump") || starts(a, "-print-") || starts(a, "--print-")
           || starts(a, "--help") || is(a, "-###"))
    j->query = true;
  if (strstr(a, "-z,defs") || strstr(a, "--no-undefined") || is(a, "defs"))
    j->check_undefined = true;
  add(&j->options, a);
}

static void
sort(job *j)
{
  const char *language = "";
  for (size_t i = 0; i < j->arguments.n; i++)
  {
    char *a = j->arguments.items[i], *next = i + 1 < j->arguments.n ? j->arguments.items[i + 1] : NULL;
    if (starts(a, "-x") && (a[2] || next))
    {
      language = a[2] ? a + 2 : j->arguments.items[++i];
      if (is(language, "none"))
        language = "";
    }
    else if (a[0] != '-' || !a[1])
    {
      if (is_source(a) || *language)
      {
        add(&j->sources, a);
        add(&j->languages, language);
        add(&j->link, NULL);
      }
      else
        add(&j->link, a);
    }
    else if (starts(a, "-l") || is(a, "-Xlinker") || starts(a, "-Wl,"))
    {
      /* Their order among the objects counts. */
      if (strstr(a, "-z,defs") || strstr(a, "--no-undefined"))
        j->check_undefined = true;
      add(&j->link, a);
      if ((is(a, "-l") || is(a, "-Xlinker")) && next)
        add(&j->link, j->arguments.items[++i]);
    }
    else if (takes_argument(a) && next)
    {
      option(j, a);
      option(j, j->arguments.items[++i]);
    }
    else
      option(j, a);
  }
}

/* ---- running ---- */

static void
clean_up(const job *j, const list *objects)
{
  for (size_t i = 0; j->folder[0] && i < objects->n; i++)
    unlink(objects->items[i]);
  if (j->folder[0])
    rmdir(j->folder);
}

static int
run(const list *command)
{
  pid_t child;
  int status, error = posix_spawnp(&child, command->items[0], NULL, NULL, command->items, environ);
  if (error)
    die("%s cannot be run: %s (HEDDLE_CC says which compiler to use)", command->items[0], strerror(error));
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      die("waiting for %s failed: %s", command->items[0], strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void
replace_ourselves(const list *command)
{
  execvp(command->items[0], command->items);
  die("%s cannot be run: %s (HEDDLE_CC says which compiler to use)", command->items[0], strerror(errno));
}

/* What makes the compiler call our hooks. */
static void
instrument(const job *j, list *command)
{
  add(command, "-fsanitize=thread");
  if (j->clang)
  {
    add(command, "-mllvm");
    add(command, "-tsan-distinguish-volatile=1");
    add(command, "-mllvm");
    add(command, "-tsan-compound-read-before-write=1");
  }
  else
  {
    add(command, "--param");
    add(command, "tsan-distinguish-volatile=1");
  }
  if (!j->position)
    add(command, "-fPIE");
  if (!j->debug)
    add(command, "-g"); /* for source lines in reports */
}

static void
without_output(const list *from, list *to)
{
  for (size_t i = 0; i < from->n; i++)
    if (is(from->items[i], "-o"))
      i++;
    else if (starts(from->items[i], "-o") && from->items[i][2] && !starts(from->items[i], "-objcopy"))
      continue;
    else
      add(to, from->items[i]);
}

static void
add_source(const job *j, size_t i, list *command)
{
  if (*j->languages.items[i])
  {
    add(command, "-x");
    add(command, j->languages.items[i]);
  }
  add(command, j->sources.items[i]);
  if (*j->languages.items[i])
  {
    add(command, "-x");
    add(command, "none");
  }
}

static char *
join(const char *a, const char *b)
{
  char *s;
  if (asprintf(&s, "%s%s", a, b) < 0)
    die("out of memory");
  return s;
}

static void
add_runtime(const job *j, list *command)
{
  if (j->shared)
  {
    /* The program brings the runtime; a library that must not leave anything open names it. */
    if (j->check_undefined)
      add(command, join(j->library, "/libheddle-rt.so"));
    return;
  }
  if (j->is_static)
  {
    add(command, join("@", join(j->library, "/heddle-rt-static.opts")));
    add(command, "-Wl,--whole-archive");
    add(command, join(j->library, "/libheddle-rt-static.a"));
    add(command, "-Wl,--no-whole-archive");
    add(command, "-static-pie");
  }
  else
  {
    add(command, "-Wl,--whole-archive");
    add(command, join(j->library, "/libheddle-rt.a"));
    add(command, "-Wl,--no-whole-archive");
    add(command, join("@", join(j->library, "/heddle-rt.opts"))); /* for libraries that are loaded later */
    add(command, "-pie");
  }
  add(command, "-pthread");
  add(command, "-ldl");
}

static int
compile_and_link(job *j)
{
  list objects = {0}, link = {0};
  if (j->sources.n)
  {
    const char *temporary = getenv("TMPDIR");
    snprintf(j->folder, sizeof j->folder, "%.40s/heddle-cc-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(j->folder))
      die("no temporary folder can be made: %s", strerror(errno));
  }
  for (size_t i = 0; i < j->sources.n; i++)
  {
    list command = {0};
    char name[128];
    snprintf(name, sizeof name, "%s/%zu.o", j->folder, i);
    add(&command, j->compiler);
    without_output(&j->options, &command);
    add_source(j, i, &command);
    instrument(j, &command);
    if (j->clang)
      add(&command, "-Qunused-arguments"); /* what is for the linker */
    add(&command, "-c");
    add(&command, "-o");
    add(&command, strdup(name));
    add(&objects, strdup(name));
    int status = run(&command);
    if (status)
    {
      clean_up(j, &objects);
      return status;
    }
  }
  add(&link, j->compiler);
  add_all(&link, &j->options);
  for (size_t i = 0, s = 0; i < j->link.n; i++)
    add(&link, j->link.items[i] ? j->link.items[i] : objects.items[s++]);
  if (j->lto)
    fputs("heddle-cc: note: link-time optimisation is left out: it would drop the instrumentation\n", stderr);
  if (!j->partial)
    add_runtime(j, &link);
  if (!j->folder[0])
    replace_ourselves(&link);
  int status = run(&link);
  clean_up(j, &objects);
  return status;
}

static void
compile(job *j)
{
  list command = {0};
  add(&command, j->compiler);
  add_all(&command, &j->options);
  for (size_t i = 0, s = 0; i < j->link.n; i++)
    if (j->link.items[i])
      add(&command, j->link.items[i]);
    else
      add_source(j, s++, &command);
  instrument(j, &command);
  replace_ourselves(&command);
}

/* ---- set up ---- */

static void
choose_compiler(job *j, const char *called)
{
  const char *cc = getenv("HEDDLE_CC"), *cxx = getenv("HEDDLE_CXX");
  size_t n = strlen(called);
  j->plus_plus = n >= 2 && is(called + n - 2, "++");
  if (!cc || !*cc)
    cc = "gcc";
  if (!cxx || !*cxx)
    cxx = strstr(cc, "clang") ? "clang++" : "g++";
  j->compiler = j->plus_plus ? cxx : cc;
  const char *slash = strrchr(j->compiler, '/');
  j->clang = strstr(slash ? slash : j->compiler, "clang") != NULL;
}

static void
find_library(job *j)
{
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n < 0)
    die("/proc/self/exe cannot be read: %s", strerror(errno));
  self[n] = 0;
  char *folder = dirname(self);
  static const char *const places[] = {"", "/" HD_LIBRARIES};
  for (size_t i = 0; i < 2; i++)
  {
    char *candidate = join(folder, places[i]), *archive = join(candidate, "/libheddle-rt.a");
    if (access(archive, R_OK) == 0)
    {
      snprintf(j->library, sizeof j->library, "%s", candidate);
      return;
    }
  }
  die("libheddle-rt.a is neither in %s nor in %s/%s; is Heddle installed completely?", folder, folder, HD_LIBRARIES);
}

int
main(int argc, char **argv)
{
  job j = {0};
  choose_compiler(&j, argv[0]);
  find_library(&j);
  for (int i = 1; i < argc; i++)
    if (argv[i][0] == '@')
      read_response(&j, argv[i] + 1);
    else
      add(&j.arguments, argv[i]);
  sort(&j);
  if (j.query || !j.link.n)
  {
    list plain = {0};
    add(&plain, j.compiler);
    add_all(&plain, &j.arguments);
    replace_ourselves(&plain);
  }
  if (j.compile_only)
    compile(&j);
  return compile_and_link(&j);
}
