/* result_json.c: what was found, for programs (docs/schema/control.schema.json). */
#include <inttypes.h>
#include <string.h>

#include "control/explore.h"

static void
add_string(hd_string *out, const char *s)
{
  hd_json_string(out, s, strlen(s));
}

/* NULL: null. */
static void
add_text(hd_string *out, const char *s)
{
  if (s)
    add_string(out, s);
  else
    hd_string_add(out, "null");
}

static void
add_place(hd_string *out, hd_control_place p)
{
  hd_string_printf(out, "{\"line\":%u,\"column\":%u}", p.line, p.column);
}

static const char *
verdict_word(hd_verdict v)
{
  return v == HD_HOLDS ? "holds" : v == HD_VIOLATED ? "violated" : "incomplete";
}

static void
add_constants(hd_string *out, const hd_controller *c, const int64_t *values)
{
  hd_string_add(out, "{");
  for (size_t i = 0; i < c->nconstants; i++)
  {
    hd_string_add(out, i ? "," : "");
    add_string(out, c->constants[i].name);
    hd_string_printf(out, ":%" PRId64, values[i]);
  }
  hd_string_add(out, "}");
}

static void
add_values(hd_string *out, const hd_controller *c, const int32_t *values)
{
  hd_string_add(out, "\"variables\":{");
  for (size_t v = 0; v < c->nvariables; v++)
  {
    const hd_control_variable *variable = &c->variables[v];
    hd_string_add(out, v ? "," : "");
    add_string(out, variable->name);
    hd_string_add(out, variable->type == HD_CONTROL_ENUM ? ":\"" : ":");
    hd_control_print_value(out, variable, values[v]);
    hd_string_add(out, variable->type == HD_CONTROL_ENUM ? "\"" : "");
  }
  hd_string_add(out, "},\"counts\":{");
  for (size_t i = 0; i < c->nstates; i++)
  {
    hd_string_add(out, i ? "," : "");
    add_string(out, c->states[i].name);
    hd_string_printf(out, ":%" PRId32, values[c->nvariables + i]);
  }
  hd_string_add(out, "}");
}

static void
add_step(hd_string *out, const hd_controller *c, const hd_control_step *s, bool start)
{
  if (start)
    hd_string_add(out, "{\"thread\":null,\"action\":null,\"from\":null,\"to\":null,\"executed\":null,\"source\":null,");
  else
  {
    const hd_control_edge *e = &c->edges[s->edge];
    const hd_control_action *a = &c->actions[e->action];
    hd_string_printf(out, "{\"thread\":%u,\"action\":", s->thread);
    add_string(out, a->name);
    hd_string_add(out, ",\"from\":");
    add_string(out, c->states[e->from].name);
    hd_string_add(out, ",\"to\":");
    add_string(out, c->states[e->to].name);
    hd_string_printf(out, ",\"executed\":%s,\"source\":", s->command >= 0 ? "true" : "false");
    add_place(out, s->command >= 0 ? a->commands[s->command].place : a->place);
    hd_string_add(out, ",");
  }
  add_values(out, c, s->values);
  hd_string_add(out, "}");
}

static void
add_finding(hd_string *out, const hd_controller *c, const hd_control_finding *f, const hd_control_spec *spec)
{
  static const char *const ends[] = {"state", "deadlock", "finished", "loop"};
  static const char *const replays[] = {"none", "same", "different"};
  if (!f->found)
  {
    hd_string_add(out, "null");
    return;
  }
  hd_string_printf(out, "{\"threads\":%" PRIu64 ",\"constants\":", f->threads);
  add_constants(out, c, f->constants);
  hd_string_add(out, ",\"rigid\":{");
  for (uint32_t i = 0; spec && i < spec->nrigid; i++)
  {
    hd_string_add(out, i ? "," : "");
    add_string(out, c->rigid[spec->first_rigid + i]);
    hd_string_printf(out, ":%" PRId64, f->rigid[i]);
  }
  hd_string_printf(out, "},\"end\":\"%s\",\"loop\":", ends[f->trace.end]);
  if (f->trace.end == HD_CONTROL_END_LOOP)
    hd_string_printf(out, "%zu", f->trace.loop);
  else
    hd_string_add(out, "null");
  hd_string_add(out, ",\"reason\":");
  add_string(out, f->trace.reason);
  hd_string_add(out, ",\"steps\":[");
  for (size_t i = 0; i < f->trace.n; i++)
  {
    hd_string_add(out, i ? "," : "");
    add_step(out, c, &f->trace.steps[i], i == 0);
  }
  hd_string_printf(out, "],\"replay\":{\"outcome\":\"%s\",\"text\":", replays[f->replay]);
  add_text(out, f->replay_text);
  hd_string_add(out, "}}");
}

static void
add_second(hd_string *out, const hd_control_second *s)
{
  static const char *const outcomes[] = {"", "agrees", "disagrees", "alone", "no-answer", "not-asked", "failed"};
  if (s->opinion == HD_CONTROL_NO_OPINION)
  {
    hd_string_add(out, "null");
    return;
  }
  bool answered = s->opinion <= HD_CONTROL_ALONE;
  hd_string_printf(out, "{\"outcome\":\"%s\",\"holds\":%s,\"milliseconds\":%.0f,\"text\":", outcomes[s->opinion],
                   !answered  ? "null"
                   : s->holds ? "true"
                              : "false",
                   s->seconds * 1000);
  add_text(out, s->text);
  hd_string_add(out, "}");
}

static void
add_answer(hd_string *out, const hd_controller *c, const hd_control_result *r, size_t i)
{
  const hd_control_spec *spec = &c->specs[i];
  const hd_control_answer *a = &r->answers[i];
  hd_string_add(out, "{\"name\":");
  add_string(out, spec->name);
  hd_string_add(out, ",\"formula\":");
  add_string(out, spec->text);
  hd_string_add(out, ",\"source\":");
  add_place(out, spec->place);
  hd_string_printf(out, ",\"fair\":%s,\"verdict\":\"%s\",\"vacuous\":%s,\"incomplete\":",
                   spec->fair || r->fair ? "true" : "false", verdict_word(a->verdict), a->vacuous ? "true" : "false");
  add_text(out, a->incomplete);
  hd_string_add(out, ",\"violation\":");
  add_finding(out, c, &a->violation, spec);
  hd_string_add(out, ",\"cross_check\":");
  add_second(out, &a->second);
  hd_string_add(out, "}");
}

void
hd_control_result_json(hd_string *out, const hd_controller *c, const hd_control_result *r)
{
  hd_string_add(out, "{\"schema\":1,\"command\":\"control verify\",\"file\":");
  add_string(out, c->path);
  hd_string_add(out, ",\"controller\":");
  add_string(out, c->name);
  hd_string_printf(out,
                   ",\"verdict\":\"%s\",\"exit_status\":%d,\"scope\":{\"any_number\":false,\"least_threads\":%" PRIu64
                   ",\"most_threads\":%" PRIu64 ",\"constants\":[",
                   verdict_word(r->verdict), r->verdict, r->least_threads, r->most_threads);
  for (size_t i = 0; i < r->ninstances; i++)
  {
    hd_string_add(out, i ? "," : "");
    add_constants(out, c, r->instances[i]);
  }
  hd_string_printf(out, "]},\"states\":%" PRIu64 ",\"steps\":%" PRIu64 ",\"incomplete\":", r->states, r->steps);
  add_text(out, r->incomplete);
  hd_string_add(out, ",\"properties\":[");
  for (size_t i = 0; i < c->nspecs; i++)
  {
    hd_string_add(out, i ? "," : "");
    add_answer(out, c, r, i);
  }
  hd_string_printf(out, "],\"deadlocks\":%" PRIu64 ",\"deadlock\":", r->deadlocks);
  add_finding(out, c, &r->deadlock, NULL);
  hd_string_add(out, ",\"deadlock_cross_check\":");
  add_second(out, &r->deadlock_second);
  hd_string_add(out, ",\"compiler\":");
  add_text(out, r->compiler);
  hd_string_add(out, ",\"notes\":[");
  for (size_t i = 0; i < r->nnotes; i++)
  {
    hd_string_printf(out, "%s{\"kind\":\"%s\",\"warning\":%s,\"source\":", i ? "," : "", r->notes[i].kind,
                     r->notes[i].warning ? "true" : "false");
    add_place(out, r->notes[i].place);
    hd_string_add(out, ",\"text\":");
    add_string(out, r->notes[i].text);
    hd_string_add(out, "}");
  }
  hd_string_add(out, "]}\n");
}
