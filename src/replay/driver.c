/* driver.c: the program that executes traces: its text, and what its answers mean. All it has to say of a controller is
 * how to call it; the rest is in include/heddle/controller_replay.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/driver.h"

/* ---- the program ---- */

static void
write_calls(hd_string *out, const hd_controller *c)
{
  const char *name = c->name;
  hd_string_printf(out, "static void\nhd_driver_init(void *c, const int *k)\n{\n  (void) k;\n  %s_init((%s *) c", name,
                   name);
  for (size_t i = 0; i < c->nconstants; i++)
    hd_string_printf(out, ", k[%zu]", i);
  hd_string_printf(out, ");\n}\n\nstatic void\nhd_driver_destroy(void *c)\n{\n  %s_destroy((%s *) c);\n}\n\n", name,
                   name);
  hd_string_add(out, "static void\nhd_driver_values(const void *c, int *values)\n{\n  (void) c;\n  (void) values;\n");
  for (size_t v = 0; v < c->nvariables; v++)
    hd_string_printf(out, "  values[%zu] = (int) ((const %s *) c)->%s;\n", v, name, c->variables[v].name);
  hd_string_add(out, "}\n\nstatic bool\nhd_driver_act(void *c, int action)\n{\n"
                     "  const struct timespec past = {0, 0};\n  (void) past;\n  switch (action)\n  {\n");
  for (size_t a = 0; a < c->nactions; a++)
  {
    const hd_control_action *action = &c->actions[a];
    hd_string_printf(out, "  case %s_action_%s:\n    return %s_%s", name, action->name, name, action->name);
    hd_string_printf(out, action->blocking ? "_until((%s *) c, &past);\n" : "((%s *) c);\n", name);
  }
  hd_string_add(out, "  }\n  abort();\n}\n\n");
}

static void
write_tables(hd_string *out, const hd_controller *c)
{
  const char *name = c->name;
  hd_string_add(out, "static const bool hd_driver_blocking[] = {");
  for (size_t a = 0; a < c->nactions; a++)
    hd_string_printf(out, "[%s_action_%s] = %s, ", name, c->actions[a].name, c->actions[a].blocking ? "1" : "0");
  hd_string_add(out, "};\nstatic const hd_replay_edge hd_driver_edges[] = {\n");
  for (size_t e = 0; e < c->nedges; e++)
    hd_string_printf(out, "  {%s_state_%s, %s_action_%s, %s_state_%s},\n", name, c->states[c->edges[e].from].name, name,
                     c->actions[c->edges[e].action].name, name, c->states[c->edges[e].to].name);
  hd_string_printf(out,
                   "};\nstatic const hd_replay_controller hd_driver_controller = {\n  sizeof(%s), %zu, %zu, %zu, "
                   "hd_driver_blocking, hd_driver_edges,\n  hd_driver_init, hd_driver_destroy, hd_driver_values, "
                   "hd_driver_act, %s_next_state};\n\n",
                   name, c->nvariables, c->nactions, c->nedges, name);
}

static void
write_trace(hd_string *out, const hd_controller *c, const hd_control_finding *f, size_t i)
{
  const hd_control_trace *t = &f->trace;
  hd_string_printf(out, "static const int hd_driver_constants_%zu[] = {", i);
  for (size_t k = 0; k < c->nconstants; k++)
    hd_string_printf(out, "%" PRId64 ", ", f->constants[k]);
  hd_string_printf(out, "0};\nstatic const hd_replay_step hd_driver_steps_%zu[] = {\n", i);
  for (size_t s = 1; s < t->n; s++)
    hd_string_printf(out, "  {%u, %u, %s},\n", t->steps[s].thread - 1, t->steps[s].edge,
                     t->steps[s].command >= 0 ? "1" : "0");
  hd_string_printf(out, "  {0, 0, 0}};\nstatic const int hd_driver_values_%zu[] = {\n", i);
  for (size_t s = 0; s < t->n; s++)
  {
    hd_string_add(out, "  ");
    for (size_t v = 0; v < c->nvariables; v++)
      hd_string_printf(out, t->steps[s].values[v] == INT32_MIN ? "%" PRId32 " - 1, " : "%" PRId32 ", ",
                       t->steps[s].values[v] == INT32_MIN ? INT32_MIN + 1 : t->steps[s].values[v]);
    hd_string_add(out, "\n");
  }
  hd_string_add(out, "  0};\n\n");
}

void
hd_replay_write_driver(hd_string *out, const hd_controller *c, const char *path,
                       const hd_control_finding *const *findings, size_t n)
{
  static const char *const ends[] = {[HD_CONTROL_END_STATE] = "STATE",
                                     [HD_CONTROL_END_DEADLOCK] = "DEADLOCK",
                                     [HD_CONTROL_END_FINISHED] = "FINISHED",
                                     [HD_CONTROL_END_LOOP] = "LOOP"};
  /* Ours first: no macro of the file may change its meaning. */
  hd_string_printf(out, "#include <heddle/controller_replay.h>\n#include \"%s\"\n\n", path);
  write_calls(out, c);
  write_tables(out, c);
  for (size_t i = 0; i < n; i++)
    write_trace(out, c, findings[i], i);
  hd_string_add(out, "static const hd_replay_trace hd_driver_traces[] = {\n");
  for (size_t i = 0; i < n; i++)
  {
    const hd_control_trace *t = &findings[i]->trace;
    hd_string_printf(out,
                     "  {%" PRIu64 ", %zu, %zu, HD_REPLAY_%s, hd_driver_constants_%zu, hd_driver_steps_%zu, "
                     "hd_driver_values_%zu},\n",
                     findings[i]->threads, t->n - 1, t->end == HD_CONTROL_END_LOOP ? t->loop : 0, ends[t->end], i, i,
                     i);
  }
  hd_string_printf(out,
                   "};\n\nint\nmain(void)\n{\n  return hd_replay_main(&hd_driver_controller, hd_driver_traces, %zu);\n"
                   "}\n",
                   n);
}

/* ---- its answers ---- */

/* "step 3, r_exit of thread 1" */
static void
show_step(hd_string *out, const hd_controller *c, const hd_control_trace *t, size_t step)
{
  if (step == 0)
    hd_string_add(out, "the start");
  else
    hd_string_printf(out, "step %zu, %s of thread %u", step, c->actions[c->edges[t->steps[step].edge].action].name,
                     t->steps[step].thread);
}

/* LOOP: STEP is the one to which the trace returns. */
static char *
about_value(const hd_controller *c, const hd_control_trace *t, size_t step, bool loop, size_t variable, int64_t value)
{
  hd_string s = {0};
  const hd_control_variable *v = &c->variables[variable];
  hd_string_add(&s, "after ");
  show_step(&s, c, t, loop ? t->n - 1 : step);
  hd_string_printf(&s, ", %s is ", v->name);
  hd_control_print_value(&s, v, value);
  hd_string_add(&s, " in the code and ");
  hd_control_print_value(&s, v, t->steps[step].values[variable]);
  if (loop)
    hd_string_printf(&s, " after step %zu, to which the trace returns", step);
  else
    hd_string_add(&s, " in the trace");
  return s.text;
}

bool
hd_replay_read_line(const char *line, const hd_controller *c, const hd_control_finding *const *findings, size_t n,
                    size_t *trace, char **about, bool *unable)
{
  char word[16] = "";
  long long a = 0, b = 0, value = 0;
  hd_string s = {0};
  int got = sscanf(line, "%zu %15s %lld %lld %lld", trace, word, &a, &b, &value) - 2;
  if (got < 0 || *trace >= n)
    return false;
  const hd_control_trace *t = &findings[*trace]->trace;
  bool step = got >= 1 && a >= 0 && (size_t) a < t->n;
  *about = NULL;
  *unable = false;
  if (strcmp(word, "same") == 0 && got == 0)
    return true;
  if (strcmp(word, "value") == 0 && got == 3 && step && b >= 0 && (size_t) b < c->nvariables)
  {
    *about = about_value(c, t, (size_t) a, false, (size_t) b, value);
    return true;
  }
  if (strcmp(word, "loop") == 0 && got == 2 && a >= 0 && (size_t) a < c->nvariables && t->loop < t->n)
  {
    *about = about_value(c, t, t->loop, true, (size_t) a, b);
    return true;
  }
  if (strcmp(word, "guard") == 0 && got == 2 && step && a > 0)
  {
    hd_string_add(&s, "in ");
    show_step(&s, c, t, (size_t) a);
    hd_string_add(&s, b ? ", a guard holds in the code and none does in the trace"
                        : ", no guard holds in the code and one does in the trace");
  }
  else if (strcmp(word, "edge") == 0 && got == 1 && step && a > 0)
  {
    hd_string_add(&s, "the interface of the code does not allow ");
    show_step(&s, c, t, (size_t) a);
  }
  else if (strcmp(word, "goes") == 0 && got == 2 && b >= 0 && (size_t) b < c->nactions)
    hd_string_printf(&s, "after the last step thread %lld can go on by %s in the code", a, c->actions[b].name);
  else if (strcmp(word, "late") == 0)
    hd_string_add(&s, "the code does not come to the end of a step");
  else if (strcmp(word, "died") == 0 && got == 1)
    hd_string_printf(&s, "the code ends its process (%s)", strsignal((int) a));
  else if (strcmp(word, "threads") == 0 && got == 1)
  {
    hd_string_printf(&s, "only %lld of %" PRIu64 " threads could be started", a, findings[*trace]->threads);
    *unable = true;
  }
  *about = s.text;
  return s.text != NULL;
}
