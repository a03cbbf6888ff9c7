/* cmd_control.c: heddle control verify|simulate|graph|generate: concurrency controllers. */
#include "cli/cli.h"
#include "control/control.h"
#include "horn/horn.h"
#include "replay/replay.h"
#include "symbolic/symbolic.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum
{
  DRAWN_STATES = 1000,
  RANDOM_STEPS = 20
};

/* A whole number at TEXT, and where it ends. False: there is none, or it is too large. */
static bool
read_number(const char *text, int64_t *value, const char **end)
{
  char *stop;
  errno = 0;
  const char *digits = text[0] == '-' ? text + 1 : text;
  if (!isdigit((unsigned char) digits[0]))
    return false;
  *value = strtoll(text, &stop, 10);
  *end = stop;
  return errno == 0;
}

/* "3", "1..4" or "2..". */
static bool
read_threads(const char *text, uint64_t *least, uint64_t *most)
{
  const char *end;
  int64_t a, b;
  if (!read_number(text, &a, &end) || a < 0)
    return false;
  b = a;
  *least = (uint64_t) a;
  *most = UINT64_MAX;
  if (strcmp(end, "..") == 0)
    return true;
  if (strncmp(end, "..", 2) == 0 && !(read_number(end + 2, &b, &end) && b >= a))
    return false;
  *most = (uint64_t) b;
  return !*end;
}

typedef struct input
{
  hd_controller *c;
  uint64_t least, most; /* threads */
  hd_control_binding *bindings;
  char **names;
  size_t nbindings;
} input;

static bool
read_constants(input *in, const hd_cli_options *o)
{
  in->bindings = hd_alloc_array(o->constants.n + 1, sizeof *in->bindings);
  in->names = hd_alloc_array(o->constants.n + 1, sizeof *in->names);
  for (size_t i = 0; i < o->constants.n; i++)
  {
    const char *text = o->constants.items[i], *equals = strchr(text, '='), *end;
    int64_t value;
    if (!equals || equals == text || !read_number(equals + 1, &value, &end) || *end)
    {
      fprintf(stderr, "heddle control: option '--const' takes a name and a whole number, such as size=3, not '%s'\n",
              text);
      return false;
    }
    in->names[in->nbindings] = hd_strndup(text, (size_t) (equals - text));
    in->bindings[in->nbindings] = (hd_control_binding){in->names[in->nbindings], value};
    in->nbindings++;
  }
  return true;
}

static bool
read_input(input *in, const hd_cli_options *o)
{
  hd_string messages = {0};
  if (o->threads && !read_threads(o->threads, &in->least, &in->most))
  {
    fprintf(stderr, "heddle control: option '--threads' takes a number or a range such as 1..4 or 2.., not '%s'\n",
            o->threads);
    return false;
  }
  if (!read_constants(in, o))
    return false;
  in->c = hd_control_read(o->operands.items[1], &messages);
  if (messages.length)
    fputs(messages.text, stderr);
  hd_string_clear(&messages);
  bool good = in->c
              && (o->properties.n == 0
                  || hd_control_select(in->c, (const char *const *) o->properties.items, o->properties.n, &messages));
  if (in->c && !good)
    fprintf(stderr, "heddle control: %s\n", messages.text);
  hd_string_free(&messages);
  return good;
}

static void
free_input(input *in)
{
  for (size_t i = 0; i < in->nbindings; i++)
    free(in->names[i]);
  free(in->names);
  free(in->bindings);
  hd_control_free(in->c);
}

static void
show_progress(void *context, uint64_t threads, uint64_t states)
{
  hd_progress *p = context;
  if (hd_progress_due(p, hd_terminal_now()))
    hd_progress_show(p, "%llu threads: %llu states", (unsigned long long) threads, (unsigned long long) states);
}

static int
fail(const hd_string *error)
{
  fprintf(stderr, "heddle control: %s\n", error->text);
  return HD_BAD_INPUT;
}

static bool
write_certificate(const hd_cli_options *o, const hd_controller *c, const hd_control_result *r)
{
  hd_string text = {0};
  hd_certificate_write(&text, c, r->certificate);
  FILE *f = fopen(o->certificate, "w");
  bool written = f && fwrite(text.text, 1, text.length, f) == text.length;
  if (f && fclose(f) != 0)
    written = false;
  if (!written)
    fprintf(stderr, "heddle control: cannot write %s: %s\n", o->certificate, strerror(errno));
  hd_string_free(&text);
  return written;
}

static int
verify(const hd_cli_options *o, const input *in)
{
  hd_progress progress = hd_progress_start(o->quiet);
  hd_control_options options = {.least_threads = in->least,
                                .most_threads = in->most,
                                .nbindings = in->nbindings,
                                .bindings = in->bindings,
                                .states = o->states,
                                .forbid_deadlock = o->deadlock == HD_DEADLOCK_FORBID,
                                .fair = o->fair,
                                .seconds = o->time,
                                .progress = show_progress,
                                .context = &progress};
  hd_string text = {0};
  bool symbolic = !o->threads || in->most == UINT64_MAX || o->symbolic || o->certificate;
  if (o->time > 0 && !symbolic && !o->cross_check)
  {
    fputs("heddle control verify: a search of all states is bounded by --states, not by --time; --symbolic proves "
          "within a time\n",
          stderr);
    hd_progress_end(&progress);
    return HD_BAD_INPUT;
  }
  if (!o->threads)
    options.most_threads = UINT64_MAX;
  hd_control_result *r
      = symbolic ? hd_symbolic_verify(in->c, &options, &text) : hd_control_verify(in->c, &options, &text);
  hd_progress_end(&progress);
  if (r && symbolic)
    hd_control_confirm(in->c, r);
  if (r && !o->no_replay)
    hd_replay_run(in->c, r, &(hd_replay_options){0});
  if (r && o->cross_check && !symbolic)
    hd_symbolic_add_equalities(in->c, &options, r);
  if (r && o->cross_check)
    hd_horn_cross_check(in->c, r,
                        &(hd_horn_options){.seconds = o->time, .nbindings = in->nbindings, .bindings = in->bindings});
  int status = r ? (int) r->verdict : fail(&text);
  hd_string_clear(&text);
  if (r && o->certificate && !write_certificate(o, in->c, r))
    status = HD_BAD_INPUT;
  if (r && o->json)
    hd_control_result_json(&text, in->c, r);
  else if (r)
    hd_control_result_text(&text, in->c, r, o->quiet);
  if (text.length)
    fputs(text.text, stdout);
  hd_control_result_free(r);
  hd_string_free(&text);
  return status;
}

static int
simulate(const hd_cli_options *o, const input *in)
{
  hd_control_play play = {.threads = in->most,
                          .nbindings = in->nbindings,
                          .bindings = in->bindings,
                          .random = o->random != NULL,
                          .steps = o->steps ? o->steps : RANDOM_STEPS};
  const char *end;
  int64_t seed = 0;
  hd_string error = {0};
  if (o->random && (!read_number(o->random, &seed, &end) || *end || seed < 0))
  {
    fprintf(stderr, "heddle control: option '--random' takes a whole number as seed, not '%s'\n", o->random);
    return HD_BAD_INPUT;
  }
  play.seed = (uint64_t) seed;
  int status = hd_control_simulate(in->c, &play, stdin, stdout, &error);
  if (status == HD_BAD_INPUT)
    fail(&error);
  hd_string_free(&error);
  return status;
}

static int
draw(const hd_cli_options *o, const input *in, const hd_control_play *play, hd_control_form form, hd_string *out,
     hd_string *error)
{
  if (o->threads)
    return hd_control_draw_states(out, in->c, play, form, error);
  hd_control_draw_interface(out, in->c, form);
  return HD_HOLDS;
}

static int
graph(const hd_cli_options *o, const input *in)
{
  static const char *const dot[] = {"dot", "-Tsvg", NULL};
  hd_string out = {0}, error = {0}, picture = {0};
  hd_control_play play = {.threads = in->most,
                          .nbindings = in->nbindings,
                          .bindings = in->bindings,
                          .states = o->states ? o->states : DRAWN_STATES};
  int status = draw(o, in, &play, HD_CONTROL_DOT, &out, &error);
  if (o->svg && out.length)
  {
    /* What dot draws is better than what we do. */
    if (!hd_replay_filter(dot, out.text, &picture))
    {
      hd_string_clear(&error);
      status = draw(o, in, &play, HD_CONTROL_SVG, &picture, &error);
    }
    hd_string_free(&out);
    out = picture;
  }
  if (out.length)
    fputs(out.text, stdout);
  if (error.length)
    fail(&error);
  hd_string_free(&out);
  hd_string_free(&error);
  return status;
}

static const struct
{
  const char *name;
  int (*run)(const hd_cli_options *o, const input *in);
  const char *needs_threads; /* why; NULL: it does not */
} actions[] = {
    {"verify", verify, NULL},
    {"simulate", simulate, "heddle control simulate: give the number of threads: --threads 2\n"},
    {"graph", graph, NULL},
};

int
hd_cmd_control(int argc, char **argv)
{
  hd_cli_options o;
  int status = hd_options_parse("control", argc, argv, &o);
  if (status != HD_OPTIONS_GO_ON)
    return status;
  const char *what = o.operands.items[0];
  size_t i = 0, n = sizeof actions / sizeof *actions;
  while (i < n && strcmp(actions[i].name, what) != 0)
    i++;
  input in = {0};
  status = HD_BAD_INPUT;
  bool recheck = strcmp(what, "recheck") == 0;
  if (recheck ? o.operands.n != 3 : o.operands.n != 2)
    fprintf(stderr, "heddle control %s: %s; usage: heddle control %s\n", what,
            recheck ? "give the controller's file and the certificate" : "give one file", o.command->usage);
  else if (recheck)
    status = hd_control_recheck(&o);
  else if (strcmp(what, "generate") == 0)
    status = hd_control_generate(&o);
  else if (i == n)
    fprintf(stderr, "heddle control: there is no '%s'; usage: heddle control %s\n", what, o.command->usage);
  else if (!read_input(&in, &o))
    ;
  else if (actions[i].needs_threads && !o.threads)
    fputs(actions[i].needs_threads, stderr);
  else if (actions[i].run != verify && in.least != in.most)
    fprintf(stderr, "heddle control %s: one number of threads, not the range '%s'\n", what, o.threads);
  else
    status = actions[i].run(&o, &in);
  free_input(&in);
  hd_options_free(&o);
  return status;
}
