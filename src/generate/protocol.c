/* protocol.c: the wake-ups of one queue as a controller of their own, with the property that nobody sleeps for ever.
 *
 * The model is the controller itself with one blocking action b taken apart into what the code of
 * include/heddle/controller_packed.h and controller_monitor.h does. A thread that cannot execute b marks the wait bit,
 * sleeps, is woken or stirs by itself, tries again, or leaves. Where one sleeper is woken, a thread may become the
 * keeper instead of sleeping: while there is one nobody else is woken. Or, where there is no room for a keeper's bit,
 * it clears the wait bit and is as if it had been woken. All other actions are as they were, with the wake-ups that the
 * plan gives them. Threads that wait for another action are where they were, but for one that is the keeper of this
 * queue (hd_generate_queue.keepers): they may stay there for ever, so what is proved here is true whatever the wake-ups
 * of the others are, and one queue is proved at a time.
 *
 *   waits    the wait bit
 *   kept     the keeper bit
 *   owed     wake-ups of one sleeper that are on their way; one that finds nobody asleep is lost
 *   asleep   sleepers whom no wake-up of all of them is meant for
 *   called   sleepers whom one is meant for
 *
 * A thread that hands a wake-up on looks at a count of all who wait, sleepers and others, so it may hand on where
 * nobody sleeps; the actions whose names have "more" in them do that. */
#include <inttypes.h>
#include <string.h>

#include "generate/plan.h"

typedef struct protocol
{
  hd_string *out;
  const hd_generate_plan *p;
  const hd_controller *c;
  size_t queue, action;
  hd_generate_rule rule;
  char end[16];    /* what makes a name new */
  hd_string guard; /* of the action */
} protocol;

static bool
ends_with(const char *name, const char *end)
{
  size_t n = strlen(name), m = strlen(end);
  return n >= m && strcmp(name + n - m, end) == 0;
}

/* No name of the controller ends like ours. */
static void
choose_end(protocol *x)
{
  bool taken = true;
  for (size_t n = 1; taken && n < sizeof x->end; n++)
  {
    memset(x->end, '_', n);
    x->end[n] = '\0';
    taken = false;
    for (size_t i = 0; i < x->c->nconstants; i++)
      taken = taken || ends_with(x->c->constants[i].name, x->end);
    for (size_t i = 0; i < x->c->nvariables; i++)
    {
      taken = taken || ends_with(x->c->variables[i].name, x->end);
      for (size_t k = 0; k < x->c->variables[i].nvalues; k++)
        taken = taken || ends_with(x->c->variables[i].values[k], x->end);
    }
    for (size_t i = 0; i < x->c->nstates; i++)
      taken = taken || ends_with(x->c->states[i].name, x->end);
    for (size_t i = 0; i < x->c->nactions; i++)
      taken = taken || ends_with(x->c->actions[i].name, x->end);
    for (size_t i = 0; i < x->c->nspecs; i++)
      taken = taken || ends_with(x->c->specs[i].name, x->end);
  }
}

/* Adds FORMAT, in which @ is the end of our names and $ is the guard of the action. */
static void
say(protocol *x, const char *format)
{
  for (const char *s = format; *s; s++)
    if (*s == '@')
      hd_string_add(x->out, x->end);
    else if (*s == '$')
      hd_string_add(x->out, x->guard.text);
    else
      hd_string_add_n(x->out, s, 1);
}

static bool
calls_action(const hd_controller *c, size_t state, size_t action)
{
  for (size_t e = 0; e < c->nedges; e++)
    if (c->edges[e].action == action && c->edges[e].from == state)
      return true;
  return false;
}

static bool
calls(const protocol *x, size_t state)
{
  return calls_action(x->c, state, x->action);
}

/* May a thread that waits for ACTION be the keeper of QUEUE? */
static bool
keeps(const hd_generate_plan *p, size_t queue, size_t action)
{
  const size_t other = p->queue_of[action];
  return p->queues[queue].rule != HD_GENERATE_ALL && other != SIZE_MAX && p->queues[queue].keepers[other];
}

static bool
may_keep(const hd_generate_plan *p, size_t queue, size_t state)
{
  for (size_t a = 0; a < p->c->nactions; a++)
    if (keeps(p, queue, a) && calls_action(p->c, state, a))
      return true;
  return false;
}

/* ---- declarations ---- */

static void
declare_numbers(protocol *x)
{
  const hd_controller *c = x->c;
  for (size_t i = 0; i < c->nconstants; i++)
    hd_string_printf(x->out, "CONST(%s, true)\n", c->constants[i].name);
  if (c->nconstants)
  {
    hd_string_add(x->out, "ASSUME(");
    if (c->assumption.n == 0)
      hd_string_add(x->out, "false");
    for (size_t i = 0; i < c->assumption.n; i++)
    {
      const hd_control_conjunction *k = &c->assumption.conjunctions[i];
      hd_string_printf(x->out, "%s(%s", i ? " || " : "", k->n ? "" : "true");
      for (size_t j = 0; j < k->n; j++)
      {
        hd_string_add(x->out, j ? " && " : "");
        hd_generate_print_linear(x->out, c, &k->atoms[j].linear);
        hd_string_add(x->out, k->atoms[j].relation == HD_CONTROL_ZERO ? " == 0" : " >= 0");
      }
      hd_string_add(x->out, ")");
    }
    hd_string_add(x->out, ")\n");
  }
  for (size_t i = 0; i < c->nvariables; i++)
  {
    const hd_control_variable *v = &c->variables[i];
    if (v->type == HD_CONTROL_BOOL)
      hd_string_printf(x->out, "BOOL(%s, %s)\n", v->name, v->start.constant ? "true" : "false");
    else if (v->type == HD_CONTROL_ENUM)
    {
      hd_string_printf(x->out, "ENUM(%s, %s, (", v->name, v->values[v->start.constant]);
      for (size_t k = 0; k < v->nvalues; k++)
        hd_string_printf(x->out, "%s%s", k ? ", " : "", v->values[k]);
      hd_string_add(x->out, "))\n");
    }
    else
    {
      hd_string_printf(x->out, "INT(%s, ", v->name);
      hd_generate_print_linear(x->out, c, &v->start);
      hd_string_add(x->out, ")\n");
    }
  }
  say(x, "BOOL(waits@, false)\nINT(asleep@, 0)\n");
  say(x, x->rule == HD_GENERATE_ALL ? "INT(called@, 0)\n" : "INT(owed@, 0)\n");
  say(x, x->rule == HD_GENERATE_ALL ? "" : "BOOL(kept@, false)\n");
  for (size_t i = 0; i < c->nstates; i++)
    hd_string_printf(x->out, "STATE(%s)\n", c->states[i].name);
  for (size_t i = 0; i < c->nstates; i++)
  {
    const char *name = c->states[i].name;
    const bool sleeps = calls(x, i), keeps = may_keep(x->p, x->queue, i);
    if (sleeps)
      hd_string_printf(x->out, "STATE(asleep_%s%s) STATE(woken_%s%s)%s", name, x->end, name, x->end,
                       keeps ? " " : "\n");
    if (keeps)
      hd_string_printf(x->out, "STATE(keeper_%s%s)\n", name, x->end);
  }
}

/* ---- actions ---- */

/* What a command of another action does to the queue. */
static void
say_wake(protocol *x, const hd_generate_wake *wake)
{
  hd_string *out = x->out;
  if (wake->when == HD_GENERATE_NEVER)
    return;
  hd_string test = {0};
  hd_string_add(&test, wake->when == HD_GENERATE_IF ? wake->test : "true");
  if (x->rule != HD_GENERATE_ALL)
    hd_string_printf(&test, " && !kept%s", x->end);
  const char *const all[] = {"called@ = waits@ && (", ") ? called@ + asleep@ : called@; asleep@ = waits@ && (",
                             ") ? 0 : asleep@; waits@ = waits@ && !(", ")"};
  const char *const one[] = {"owed@ = waits@ && (", ") ? owed@ + 1 : owed@; waits@ = waits@ && !(", ")"};
  const char *const *parts = x->rule == HD_GENERATE_ALL ? all : one;
  size_t n = x->rule == HD_GENERATE_ALL ? 4 : 3;
  for (size_t i = 0; i < n; i++)
  {
    say(x, parts[i]);
    hd_string_add(out, i + 1 < n ? test.text : "");
  }
  hd_string_free(&test);
}

typedef enum part
{
  PLAIN, /* with the wake-ups of the plan */
  WOKEN, /* the action itself, by a thread that was in the queue */
  WOKEN_MORE,
  KEEPER /* an action by the keeper */
} part;

/* What a thread does that was in the queue and goes on; MORE: it sees somebody waiting who does not sleep. */
static void
say_hand_on(protocol *x, part part)
{
  const char *others = part == WOKEN_MORE ? "true" : "asleep@ > 0";
  if (x->rule == HD_GENERATE_ALL)
    return;
  if (part == KEEPER)
  {
    say(x, "owed@ = waits@ && ($) ? owed@ + 1 : owed@; waits@ = waits@ && !($); kept@ = false");
    return;
  }
  if (x->rule == HD_GENERATE_ONE)
  {
    say(x, "waits@ = waits@ || ");
    say(x, others);
    return;
  }
  say(x, "owed@ = ");
  say(x, others);
  say(x, " && ($) && !kept@ ? owed@ + 1 : owed@; waits@ = ");
  say(x, others);
  say(x, " ? !($) || kept@ : waits@");
}

static void
say_action(protocol *x, size_t action, const char *name, part part)
{
  const hd_control_action *a = &x->c->actions[action];
  hd_string_printf(x->out, "%s(%s%s)\n", a->blocking ? "BLOCKING" : "NONBLOCKING", name, part == PLAIN ? "" : x->end);
  for (size_t i = 0; i < a->ncommands; i++)
  {
    const hd_generate_command *k = &x->p->commands[x->p->first_command[action] + i];
    hd_string_printf(x->out, "  WHEN(%s) DO(%s", a->commands[i].guard_text, k->update);
    size_t before = x->out->length;
    hd_string_add(x->out, k->update[0] ? "; " : "");
    size_t after = x->out->length;
    if (part == PLAIN)
      say_wake(x, &x->p->wakes[(x->p->first_command[action] + i) * x->p->nqueues + x->queue]);
    else
      say_hand_on(x, part);
    if (x->out->length == after)
      x->out->text[x->out->length = before] = '\0';
    hd_string_add(x->out, ")\n");
  }
  hd_string_add(x->out, "END\n");
}

static void
say_actions(protocol *x)
{
  const hd_controller *c = x->c;
  for (size_t a = 0; a < c->nactions; a++)
    say_action(x, a, c->actions[a].name, PLAIN);
  say_action(x, x->action, "again", WOKEN);
  if (x->rule != HD_GENERATE_ALL)
    say_action(x, x->action, "again_more", WOKEN_MORE);
  for (size_t a = 0; a < c->nactions; a++)
    if (keeps(x->p, x->queue, a))
    {
      hd_string name = {0};
      hd_string_printf(&name, "keeper_%s", c->actions[a].name);
      say_action(x, a, name.text, KEEPER);
      hd_string_free(&name);
    }
  say(x, "BLOCKING(mark@)  WHEN(!($)) DO(waits@ = true) END\n"
         "BLOCKING(sleep@) WHEN(waits@) DO(asleep@ = asleep@ + 1) END\n");
  if (x->rule == HD_GENERATE_ALL)
    say(x, "BLOCKING(wake@)  WHEN(called@ > 0) DO(called@ = called@ - 1) END\n"
           "BLOCKING(stir@)  WHEN(asleep@ > 0) DO(asleep@ = asleep@ - 1) END\n"
           "NONBLOCKING(leave@) WHEN(true) DO() END\n");
  else
    say(x, "BLOCKING(wake@)  WHEN(owed@ > 0) DO(owed@ = owed@ - 1; asleep@ = asleep@ - 1) END\n"
           "BLOCKING(stir@)  WHEN(true) DO(asleep@ = asleep@ - 1) END\n"
           "BLOCKING(lose@)  WHEN(owed@ > 0 && asleep@ == 0) DO(owed@ = owed@ - 1) END\n"
           "NONBLOCKING(leave@)\n"
           "  WHEN(waits@ || asleep@ == 0) DO()\n"
           "  WHEN(($) && !kept@) DO(owed@ = owed@ + 1)\n"
           "  WHEN(true) DO(waits@ = true)\n"
           "END\n"
           "NONBLOCKING(leave_more@)\n"
           "  WHEN(waits@) DO()\n"
           "  WHEN(($) && !kept@) DO(owed@ = owed@ + 1)\n"
           "  WHEN(true) DO(waits@ = true)\n"
           "END\n"
           "BLOCKING(watch@) WHEN(waits@) DO(waits@ = false) END\n"
           "BLOCKING(keep@)  WHEN(waits@ && !kept@ && !($)) DO(kept@ = true) END\n"
           "BLOCKING(rest@)  WHEN(!($)) DO(kept@ = false; waits@ = true) END\n"
           "NONBLOCKING(leave_keeper@)\n"
           "  WHEN(waits@ && ($)) DO(kept@ = false; waits@ = false; owed@ = owed@ + 1)\n"
           "  WHEN(true) DO(kept@ = false)\n"
           "END\n");
}

/* ---- the interface and the properties ---- */

/* EDGE(from, action, to); + before a state's name: asleep, *: woken, !: the keeper. */
static void
edge(protocol *x, const char *from, const char *action, const char *to)
{
  const char *states[] = {from, to};
  for (int i = 0; i < 2; i++)
  {
    char kind = states[i][0];
    const bool own = kind == '+' || kind == '*' || kind == '!';
    hd_string_printf(x->out, "%s%s%s%s", i ? "" : "EDGE(",
                     kind == '+'   ? "asleep_"
                     : kind == '*' ? "woken_"
                     : kind == '!' ? "keeper_"
                                   : "",
                     states[i] + own, own ? x->end : "");
    if (i == 0)
    {
      hd_string_add(x->out, ", ");
      say(x, action);
      hd_string_add(x->out, ", ");
    }
  }
  hd_string_add(x->out, ")\n");
}

static void
say_edges(protocol *x)
{
  const hd_controller *c = x->c;
  const bool one = x->rule != HD_GENERATE_ALL;
  for (size_t e = 0; e < c->nedges; e++)
  {
    const size_t action = c->edges[e].action;
    const char *from = c->states[c->edges[e].from].name, *to = c->states[c->edges[e].to].name;
    hd_string woken = {0}, keeper = {0}, name = {0};
    hd_string_printf(&woken, "*%s", from);
    hd_string_printf(&keeper, "!%s", from);
    edge(x, from, c->actions[action].name, to);
    if (action == x->action)
    {
      edge(x, from, "again@", to);
      edge(x, woken.text, "again@", to);
      if (one)
      {
        edge(x, from, "again_more@", to);
        edge(x, woken.text, "again_more@", to);
      }
    }
    if (keeps(x->p, x->queue, action))
    {
      hd_string_printf(&name, "keeper_%s@", c->actions[action].name);
      edge(x, keeper.text, name.text, to);
    }
    hd_string_free(&woken);
    hd_string_free(&keeper);
    hd_string_free(&name);
  }
  for (size_t i = 0; i < c->nstates; i++)
  {
    const char *name = c->states[i].name;
    const bool sleeps = calls(x, i);
    hd_string asleep = {0}, woken = {0}, keeper = {0};
    hd_string_printf(&asleep, "+%s", name);
    hd_string_printf(&woken, "*%s", name);
    hd_string_printf(&keeper, "!%s", name);
    if (one)
      edge(x, name, "lose@", name);
    if (sleeps)
    {
      edge(x, name, "mark@", name);
      edge(x, woken.text, "mark@", woken.text);
      edge(x, name, "sleep@", asleep.text);
      edge(x, woken.text, "sleep@", asleep.text);
      edge(x, asleep.text, "wake@", woken.text);
      edge(x, asleep.text, "stir@", woken.text);
      edge(x, woken.text, "leave@", name);
      if (one)
      {
        edge(x, woken.text, "leave_more@", name);
        edge(x, name, "watch@", woken.text);
        edge(x, woken.text, "watch@", woken.text);
      }
    }
    if (may_keep(x->p, x->queue, i))
    {
      edge(x, name, "keep@", keeper.text);
      edge(x, keeper.text, "leave_keeper@", name);
      if (sleeps)
      {
        edge(x, woken.text, "keep@", keeper.text);
        edge(x, keeper.text, "rest@", woken.text);
      }
    }
    hd_string_free(&asleep);
    hd_string_free(&woken);
    hd_string_free(&keeper);
  }
}

static bool
is_predicate(const hd_control_formula *f)
{
  switch (f->kind)
  {
  case HD_CONTROL_PREDICATE:
    return true;
  case HD_CONTROL_AND:
  case HD_CONTROL_OR:
  case HD_CONTROL_IMPLIES:
    return is_predicate(f->left) && is_predicate(f->right);
  default:
    return false;
  }
}

/* TEXT, in which the threads of a state are those that were there in the controller. */
static void
say_formula(protocol *x, const char *text)
{
  while (*text)
  {
    bool counted = false;
    for (size_t i = 0; i < x->c->nstates && !counted; i++)
    {
      const char *name = x->c->states[i].name;
      size_t n = strlen(name);
      const bool sleeps = calls(x, i), keeps = may_keep(x->p, x->queue, i);
      if ((sleeps || keeps) && strncmp(text, "count(", 6) == 0 && strncmp(text + 6, name, n) == 0 && text[6 + n] == ')')
      {
        hd_string_printf(x->out, "(count(%s)", name);
        if (sleeps)
          hd_string_printf(x->out, " + count(asleep_%s%s) + count(woken_%s%s)", name, x->end, name, x->end);
        if (keeps)
          hd_string_printf(x->out, " + count(keeper_%s%s)", name, x->end);
        hd_string_add(x->out, ")");
        text += 7 + n;
        counted = true;
      }
    }
    if (!counted)
      hd_string_add_n(x->out, text++, 1);
  }
}

/* Adds " + count(KIND...)" of every state in which the action may be called, or, for the keeper, of every one in which
 * there may be one. */
static void
say_counts(protocol *x, const char *kind)
{
  const bool keeper = strcmp(kind, "keeper_") == 0;
  for (size_t i = 0; i < x->c->nstates; i++)
    if (keeper ? may_keep(x->p, x->queue, i) : calls(x, i))
      hd_string_printf(x->out, " + count(%s%s%s)", kind, x->c->states[i].name, *kind ? x->end : "");
}

/* The last HD_GENERATE_OWN_SPECS are about the wake-ups, and awake is the last of all. */
static void
say_properties(protocol *x)
{
  const hd_controller *c = x->c;
  const bool all = x->rule == HD_GENERATE_ALL;
  /* What is known of the controller; it helps with the rest. */
  for (size_t i = 0; i < c->nspecs; i++)
    if (c->specs[i].nrigid == 0 && c->specs[i].formula->kind == HD_CONTROL_AG
        && is_predicate(c->specs[i].formula->left))
    {
      hd_string_printf(x->out, "SPEC(%s, ", c->specs[i].name);
      say_formula(x, c->specs[i].text);
      hd_string_add(x->out, ")\n");
    }
  for (size_t v = 0; v < c->nvariables; v++)
    if (c->variables[v].type == HD_CONTROL_INT && x->p->ranges[v].has_least)
    {
      hd_string_printf(x->out, "SPEC(least_%s%s, AG(%s >= %" PRId64 "))\n", c->variables[v].name, x->end,
                       c->variables[v].name, x->p->ranges[v].least);
    }
  say(x,
      all ? "SPEC(counted@, AG(asleep@ >= 0 && called@ >= 0))\n" : "SPEC(counted@, AG(asleep@ >= 0 && owed@ >= 0))\n");
  say(x, all ? "SPEC(closed@, AG(IMPLIES(waits@ && 0" : "SPEC(closed@, AG(IMPLIES(waits@ && !kept@ && 0");
  say_counts(x, "");
  say_counts(x, "asleep_");
  say_counts(x, "woken_");
  say(x, " > 0, !($))))\nSPEC(kept@, AG(IMPLIES(asleep@ > 0, waits@");
  if (!all)
  {
    say(x, " || owed@");
    say_counts(x, "woken_");
    say(x, " > 0");
  }
  say(x, ")))\nSPEC(awake@, AG(IMPLIES(asleep@ > 0 && ($), ");
  say(x, all ? "called@" : "owed@");
  say_counts(x, "woken_");
  say_counts(x, "keeper_");
  say(x, " > 0)))\n");
}

size_t
hd_generate_protocol_kinds(const hd_generate_plan *p, size_t queue, size_t state)
{
  return (calls_action(p->c, state, p->queues[queue].action) ? 2 : 0) /* asleep, woken */
         + may_keep(p, queue, state);
}

void
hd_generate_protocol(hd_string *out, const hd_generate_plan *p, size_t queue)
{
  protocol x = {
      .out = out, .p = p, .c = p->c, .queue = queue, .action = p->queues[queue].action, .rule = p->queues[queue].rule};
  choose_end(&x);
  hd_generate_print_guards(&x.guard, p, x.action);
  hd_string_printf(out,
                   "/* How threads that wait for %s of controller %s sleep and are woken. */\n"
                   "#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER %s_%s\n#define HD_CONTROLLER_FILE \"%s_%s.h\"\n"
                   "#include <heddle/controller.h>\n#else\n",
                   p->c->actions[x.action].name, p->c->name, p->c->name, p->c->actions[x.action].name, p->c->name,
                   p->c->actions[x.action].name);
  declare_numbers(&x);
  say_actions(&x);
  say_edges(&x);
  say_properties(&x);
  hd_string_add(out, "#endif\n");
  hd_string_free(&x.guard);
}
