/* cases.c: what the clock shows of a case, and what the annotations mean: docs/rules.md 1.2 and 3.3, once more. */
#include "naive/cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const naive_notes_names[NAIVE_NOTES] = {"exact", "windows", "none", "mixed"};

void
naive_stamps(const naive_case *c, naive_stamp *stamps)
{
  uint64_t ticks = 0;
  unsigned windows = 0; /* open ones */
  bool open[NAIVE_OPS] = {false}, committed[NAIVE_OPS] = {false};
  for (size_t i = 0; i < c->nevents; i++)
  {
    unsigned op = c->events[i].op;
    bool tick = false;
    switch (c->events[i].kind)
    {
    case NAIVE_CALL:
      tick = c->ops[op].nocommit;
      open[op] = tick;
      windows += tick;
      break;
    case NAIVE_WINDOW:
      tick = true;
      windows += !open[op];
      open[op] = true;
      break;
    case NAIVE_COMMIT:
      tick = true;
      windows -= open[op];
      open[op] = false;
      committed[op] = true;
      break;
    case NAIVE_RETURN:
      tick = !committed[op] && windows > 0; /* one of them may be its own */
      windows -= open[op];
      break;
    default:
      break;
    }
    stamps[i] = (naive_stamp){ticks, tick};
    ticks += tick;
  }
}

/* Where the events of one operation are. */
typedef struct places
{
  bool windowed, committed, returned;
  uint64_t call, window, commit, end;
} places;

static void
find_places(const naive_case *c, bool real_time, places *p)
{
  naive_stamp stamps[NAIVE_EVENTS];
  naive_stamps(c, stamps);
  memset(p, 0, c->n * sizeof *p);
  for (size_t i = 0; i < c->nevents; i++)
  {
    places *o = &p[c->events[i].op];
    uint64_t at = real_time ? i : 2 * stamps[i].number + stamps[i].ticked;
    switch (c->events[i].kind)
    {
    case NAIVE_CALL:
      o->call = at;
      break;
    case NAIVE_WINDOW:
      o->windowed = true;
      o->window = at; /* a later one replaces it */
      break;
    case NAIVE_COMMIT:
      o->committed = true;
      o->commit = at;
      break;
    case NAIVE_RETURN:
      o->returned = true;
      o->end = at;
      break;
    default:
      break;
    }
  }
}

static naive_op
op_of(const naive_case *c, size_t i)
{
  const naive_call *call = &c->ops[i];
  return (naive_op){.method = call->method,
                    .nargs = call->nargs,
                    .thread = call->lane,
                    .args = {call->args[0], call->args[1]},
                    .ret = call->ret,
                    .id = (unsigned) i};
}

size_t
naive_intervals(const naive_case *c, bool real_time, naive_op *ops)
{
  const hd_spec *spec = naive_spec(c->object);
  places p[NAIVE_OPS];
  size_t n = 0;
  find_places(c, real_time, p);
  for (size_t i = 0; i < c->n; i++)
  {
    const naive_call *call = &c->ops[i];
    naive_op o = op_of(c, i);
    bool observer = spec->methods[call->method].role == HD_OBSERVER;
    if (!observer && p[i].committed)
    {
      o.start = p[i].windowed ? p[i].window : p[i].commit;
      o.end = p[i].commit;
      o.any_ret = !p[i].returned && !call->ret_at_commit;
    }
    else if (p[i].returned)
    {
      o.start = p[i].call;
      o.end = p[i].end;
      o.unchanged = observer || !call->nocommit; /* without its commit it can only have looked */
    }
    else if (!observer && (call->nocommit || p[i].windowed))
    {
      o.optional = true;
      o.start = call->nocommit ? p[i].call : p[i].window;
    }
    else
      continue; /* nobody can have seen it */
    ops[n++] = o;
  }
  return n;
}

size_t
naive_whole(const naive_case *c, naive_op *ops)
{
  places p[NAIVE_OPS];
  size_t n = 0;
  find_places(c, true, p);
  for (size_t i = 0; i < c->n; i++)
  {
    naive_op o = op_of(c, i);
    if (!p[i].returned && naive_spec(c->object)->methods[o.method].role == HD_OBSERVER)
      continue;
    o.optional = !p[i].returned;
    o.foreseen = o.optional && p[i].committed && c->ops[i].ret_at_commit;
    o.start = p[i].call;
    o.end = p[i].end;
    ops[n++] = o;
  }
  return n;
}

/* ---- for people ---- */

static void
add_call(hd_string *s, const naive_case *c, const naive_call *o)
{
  hd_string_add(s, naive_spec(c->object)->methods[o->method].name);
  for (uint32_t k = 0; k < o->nargs; k++)
  {
    hd_string_add(s, " ");
    hd_value_print(s, o->args[k], 40);
  }
}

void
naive_print(const naive_case *c)
{
  static const char *const names[] = {"call", "window", "commit", "return", "abandon"};
  naive_stamp stamps[NAIVE_EVENTS];
  hd_string s = {0};
  naive_stamps(c, stamps);
  hd_string_printf(&s, "%s, %s", c->object->name, naive_notes_names[c->notes]);
  for (size_t i = 0; i < c->nconfig; i++)
  {
    hd_string_add(&s, ", initially ");
    hd_value_print(&s, c->config[i], 40);
  }
  hd_string_add(&s, "\n");
  for (size_t i = 0; i < c->nevents; i++)
  {
    const naive_event *e = &c->events[i];
    const naive_call *o = &c->ops[e->op];
    hd_string_printf(&s, "  %*sthread %" PRIu32 " op %u %s", (int) (o->lane - 1) * 4, "", o->lane, e->op,
                     names[e->kind]);
    if (e->kind == NAIVE_CALL)
    {
      hd_string_add(&s, o->nocommit ? " without a commit: " : " ");
      add_call(&s, c, o);
    }
    if (e->kind == NAIVE_RETURN || (e->kind == NAIVE_COMMIT && o->ret_at_commit))
    {
      hd_string_add(&s, " → ");
      hd_value_print(&s, o->ret, 40);
    }
    if (e->kind != NAIVE_ABANDON)
      hd_string_printf(&s, "   (%s %" PRIu64 ")", stamps[i].ticked ? "tick" : "look", stamps[i].number);
    hd_string_add(&s, "\n");
  }
  fputs(s.text, stderr);
  hd_string_free(&s);
}
