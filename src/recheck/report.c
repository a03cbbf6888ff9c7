/* report.c: what a certificate turned out to be worth, for people and for programs. */
#include <inttypes.h>
#include <string.h>

#include "recheck/recheck.h"

static const char *
claim_name(const hd_recheck_claim *claim)
{
  return claim->name ? claim->name : "no deadlock";
}

/* ---- for people ---- */

/* "nR = 1, busy = true; 1 in reading; size = 3": variables, counters that are not 0, constants and rigid variables. */
static void
add_point(hd_string *out, const hd_controller *c, const hd_control_spec *spec, const int64_t *point)
{
  const char *between = "";
  for (size_t v = 0; v < c->nvariables; v++, between = ", ")
  {
    hd_string_printf(out, "%s%s = ", between, c->variables[v].name);
    hd_control_print_value(out, &c->variables[v], point[hd_control_variable_dimension(c, v)]);
  }
  bool anyone = false;
  between = c->nvariables ? "; " : "";
  for (size_t i = 0; i < c->nstates; i++)
  {
    int64_t count = point[hd_control_counter_dimension(c, i)];
    if (count == 0)
      continue;
    hd_string_printf(out, "%s%" PRId64 " in %s", between, count, c->states[i].name);
    anyone = true;
    between = ", ";
  }
  if (!anyone)
    hd_string_printf(out, "%sno threads", between);
  between = "; ";
  for (size_t i = 0; i < c->nconstants; i++, between = ", ")
    hd_string_printf(out, "%s%s = %" PRId64, between, c->constants[i].name, point[i]);
  for (uint32_t i = 0; spec && i < spec->nrigid; i++, between = ", ")
    hd_string_printf(out, "%s%s = %" PRId64, between, c->rigid[spec->first_rigid + i],
                     point[hd_control_rigid_dimension(c, spec->first_rigid + i)]);
  hd_string_add(out, "\n");
}

static void
add_claim(hd_string *out, const hd_controller *c, const hd_control_spec *spec, const hd_recheck_claim *claim)
{
  hd_string_printf(out, "%s: ", claim_name(claim));
  switch (claim->status)
  {
  case HD_RECHECK_ABSENT:
    hd_string_add(out, "not in the certificate\n");
    break;
  case HD_RECHECK_PROVED:
    hd_string_printf(out, "proved again (%" PRIu64 " obligations)%s\n", claim->obligations,
                     claim->fair ? " for fair paths" : "");
    break;
  case HD_RECHECK_WRONG:
    hd_string_printf(out, "the certificate is wrong; this does not hold:\n  %s\n  %s", claim->obligation,
                     claim->after ? "before: " : "because: ");
    add_point(out, c, spec, claim->before);
    if (claim->after)
    {
      hd_string_add(out, "  after:  ");
      add_point(out, c, spec, claim->after);
    }
    break;
  case HD_RECHECK_UNDECIDED:
    hd_string_printf(out, "could not be checked; this was too much work, or its numbers are too large:\n  %s\n",
                     claim->obligation);
    break;
  }
}

void
hd_recheck_text(hd_string *out, const hd_controller *c, const hd_recheck_result *r, bool quiet)
{
  if (!quiet)
  {
    hd_string_printf(out, "%s: controller %s, ", c->path, c->name);
    if (r->most_threads != UINT64_MAX)
      hd_string_printf(out, "%" PRIu64 " to %" PRIu64 " threads", r->least_threads, r->most_threads);
    else if (r->least_threads)
      hd_string_printf(out, "any number of threads from %" PRIu64 " on", r->least_threads);
    else
      hd_string_add(out, "any number of threads");
    for (size_t i = 0; i < r->nbindings; i++)
      hd_string_printf(out, ", %s = %" PRId64, r->bindings[i].name, r->bindings[i].value);
    if (r->nbindings < c->nconstants)
      hd_string_printf(out, ", all %sconstants that are assumed", r->nbindings ? "other " : "");
    hd_string_add(out, "\n");
  }
  for (size_t i = 0; i < r->n; i++)
  {
    hd_recheck_status status = r->claims[i].status;
    bool deadlock = i == c->nspecs;
    if (quiet ? status == HD_RECHECK_WRONG || status == HD_RECHECK_UNDECIDED : !deadlock || status != HD_RECHECK_ABSENT)
      add_claim(out, c, deadlock ? NULL : &c->specs[i], &r->claims[i]);
  }
}

/* ---- for programs ---- */

static void
add_string(hd_string *out, const char *s)
{
  hd_json_string(out, s, strlen(s));
}

/* "name":value */
static void
add_number(hd_string *out, const char *between, const char *name, int64_t value)
{
  hd_string_add(out, between);
  add_string(out, name);
  hd_string_printf(out, ":%" PRId64, value);
}

static void
add_state(hd_string *out, const hd_controller *c, const hd_control_spec *spec, const int64_t *point)
{
  if (!point)
  {
    hd_string_add(out, "null");
    return;
  }
  hd_string_add(out, "{\"constants\":{");
  for (size_t i = 0; i < c->nconstants; i++)
    add_number(out, i ? "," : "", c->constants[i].name, point[i]);
  hd_string_add(out, "},\"rigid\":{");
  for (uint32_t i = 0; spec && i < spec->nrigid; i++)
    add_number(out, i ? "," : "", c->rigid[spec->first_rigid + i],
               point[hd_control_rigid_dimension(c, spec->first_rigid + i)]);
  hd_string_add(out, "},\"variables\":{");
  for (size_t v = 0; v < c->nvariables; v++)
  {
    bool named = c->variables[v].type == HD_CONTROL_ENUM;
    hd_string_add(out, v ? "," : "");
    add_string(out, c->variables[v].name);
    hd_string_add(out, named ? ":\"" : ":");
    hd_control_print_value(out, &c->variables[v], point[hd_control_variable_dimension(c, v)]);
    hd_string_add(out, named ? "\"" : "");
  }
  hd_string_add(out, "},\"counts\":{");
  for (size_t i = 0; i < c->nstates; i++)
    add_number(out, i ? "," : "", c->states[i].name, point[hd_control_counter_dimension(c, i)]);
  hd_string_add(out, "}}");
}

void
hd_recheck_json(hd_string *out, const hd_controller *c, const char *path, const hd_recheck_result *r)
{
  static const char *const words[] = {"absent", "proved", "wrong", "undecided"};
  hd_string_add(out, "{\"schema\":1,\"command\":\"control recheck\",\"file\":");
  add_string(out, c->path);
  hd_string_add(out, ",\"certificate\":");
  add_string(out, path);
  hd_string_add(out, ",\"controller\":");
  add_string(out, c->name);
  hd_string_printf(out,
                   ",\"verdict\":\"%s\",\"exit_status\":%d,\"scope\":{\"any_number\":%s,\"least_threads\":%" PRIu64
                   ",\"most_threads\":",
                   r->verdict == HD_HOLDS      ? "proved"
                   : r->verdict == HD_VIOLATED ? "wrong"
                                               : "undecided",
                   r->verdict, r->most_threads == UINT64_MAX ? "true" : "false", r->least_threads);
  if (r->most_threads == UINT64_MAX)
    hd_string_add(out, "null");
  else
    hd_string_printf(out, "%" PRIu64, r->most_threads);
  hd_string_add(out, ",\"constants\":{");
  for (size_t i = 0; i < r->nbindings; i++)
    add_number(out, i ? "," : "", r->bindings[i].name, r->bindings[i].value);
  hd_string_add(out, "}},\"claims\":[");
  for (size_t i = 0; i < r->n; i++)
  {
    const hd_recheck_claim *claim = &r->claims[i];
    const hd_control_spec *spec = i < c->nspecs ? &c->specs[i] : NULL;
    hd_string_printf(out, "%s{\"kind\":\"%s\",\"name\":", i ? "," : "", spec ? "property" : "deadlock");
    if (spec)
      add_string(out, spec->name);
    else
      hd_string_add(out, "null");
    hd_string_printf(out,
                     ",\"status\":\"%s\",\"fair\":%s,\"obligations\":%" PRIu64 ",\"obligation\":", words[claim->status],
                     claim->fair ? "true" : "false", claim->obligations);
    if (claim->obligation)
      add_string(out, claim->obligation);
    else
      hd_string_add(out, "null");
    hd_string_add(out, ",\"before\":");
    add_state(out, c, spec, claim->before);
    hd_string_add(out, ",\"after\":");
    add_state(out, c, spec, claim->after);
    hd_string_add(out, "}");
  }
  hd_string_add(out, "]}\n");
}
