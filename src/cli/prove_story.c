/* prove_story.c: leads back from generated code to the program: what a failure means, the lines on the way to it, and
 * the values along it.
 *
 * Generated variables (see src/civl/instrument.c, refine.c, interfere.c) are left out, except for the snapshots of
 * global variables: where a check compares the ends of a stretch, they say how it began. Variables of a body that was
 * put in are called inline$NAME$number$x by the condition; here, x of NAME. */
#include <stdlib.h>
#include <string.h>

#include "cli/prove_source.h"
#include "cli/prove_story.h"

typedef struct teller
{
  hd_prove_story *story;
  const hd_boogie_impl *impl;
  const hd_civl_task *task;
  hd_prove_source *source;
  hd_vc_value *known; /* the last value of each variable */
  size_t nknown, known_cap;
  hd_vc_value *snapshots; /* of global variables */
  size_t nsnapshots, snapshots_cap;
  hd_prove_line waits; /* the variables of a thread at a yield */
} teller;

static const struct
{
  const char *word, *fails, *unproved, *related;
} reasons[] = {
    [HD_BOOGIE_WRITTEN] = {"assertion", "this assertion can fail", "this assertion could not be proved", NULL},
    [HD_BOOGIE_PRECONDITION] = {"precondition", "a precondition of this call can fail",
                                "a precondition of this call could not be proved", "this is the precondition"},
    [HD_BOOGIE_POSTCONDITION] = {"postcondition", "a postcondition can fail at this return",
                                 "a postcondition could not be proved at this return", "this is the postcondition"},
    [HD_BOOGIE_LOOP_ENTRY] = {"invariant-entry", "this loop invariant can fail when the loop begins",
                              "this loop invariant could not be proved where the loop begins", NULL},
    [HD_BOOGIE_LOOP_KEPT] = {"invariant-kept", "the loop can break this invariant",
                             "that the loop keeps this invariant could not be proved", NULL},
};

/* ---- texts ---- */

static const char *
keep(hd_arena *a, const char *text, size_t n)
{
  char *copy = memcpy(hd_arena_alloc(a, n + 1), text, n);
  copy[n] = 0;
  return copy;
}

/* Move the text of S into the arena. */
static const char *
settle(hd_arena *a, hd_string *s)
{
  const char *copy = keep(a, s->length ? s->text : "", s->length);
  hd_string_free(s);
  return copy;
}

static const char *say(hd_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

static const char *
say(hd_arena *a, const char *format, ...)
{
  hd_string s = {0};
  va_list args;
  va_start(args, format);
  hd_string_vprintf(&s, format, args);
  va_end(args);
  return settle(a, &s);
}

static bool
begins(const char *text, const char *start)
{
  return !strncmp(text, start, strlen(start));
}

/* ---- names ---- */

static const char checker[] = "Impl_YieldChecker_";

/* The length of NAME, N bytes, without the number of the layer that a copy has at its end. */
static size_t
without_layer(const hd_civl_task *t, const char *name, size_t n)
{
  char suffix[16];
  int k = t && t->layered ? snprintf(suffix, sizeof suffix, "_%d", (int) t->layer) : 0;
  return k > 0 && n > (size_t) k && !memcmp(name + n - (size_t) k, suffix, (size_t) k) ? n - (size_t) k : n;
}

/* The procedure that waits at a yield, from its checker's name; or null. */
static const char *
waiting(const hd_civl_task *t, hd_arena *a, const char *inlined)
{
  if (!t || !t->layered || !inlined || !begins(inlined, checker))
    return NULL;
  const char *name = inlined + sizeof checker - 1;
  return keep(a, name, without_layer(t, name, strlen(name)));
}

static bool
is_generated(const hd_civl_task *t, const char *name)
{
  size_t n = strlen(name);
  return (t->layered && begins(name, "og_"))
         || (begins(name, "linear_")
             && ((n > 5 && !strcmp(name + n - 5, "_hole")) || (n > 10 && !strcmp(name + n - 10, "_available"))));
}

/* A variable of the thread that waits at a yield. */
static bool
is_waiting(const teller *t, const char *name)
{
  return t->task && t->task->layered && begins(name, "inline$") && begins(name + strlen("inline$"), checker);
}

/* inline$NAME$NUMBER$x. False: it is none, or nothing that people know. */
static bool
say_inlined(const teller *t, const char *name, hd_string *out)
{
  const char *proc = name + strlen("inline$"), *number = strchr(proc, '$'),
             *var = number ? strchr(number + 1, '$') : NULL;
  if (!var || (t->task && (is_generated(t->task, var + 1) || begins(proc, "og_yield_"))))
    return false;
  if (is_waiting(t, name))
  {
    if (begins(var + 1, "linear_") && strlen(var) > 3 && !strcmp(var + strlen(var) - 3, "_in"))
      return false; /* permissions that the checker is called with */
    const char *who = proc + sizeof checker - 1;
    hd_string_printf(out, "%s of the waiting ", var + 1);
    hd_string_add_n(out, who, without_layer(t->task, who, (size_t) (number - who)));
    return true;
  }
  hd_string_printf(out, "%s of ", var + 1);
  if (t->task && t->task->other && !strcmp(t->task->subject, t->task->other))
    hd_string_add(out, t->task->check == HD_CIVL_COMMUTATIVITY && number[1] == '0' ? "the first " : "the second ");
  hd_string_add_n(out, proc, without_layer(t->task, proc, (size_t) (number - proc)));
  return true;
}

static bool
say_name(const teller *t, const char *name, hd_string *out)
{
  if (begins(name, "inline$"))
    return say_inlined(t, name, out);
  if (!t->task)
    hd_string_add(out, name);
  else if (is_generated(t->task, name))
    return false;
  else
    hd_civl_task_variable(t->task, name, out);
  return true;
}

/* ---- values ---- */

static hd_vc_value *
find(hd_vc_value *values, size_t n, const char *name)
{
  for (size_t i = 0; i < n; i++)
    if (!strcmp(values[i].name, name))
      return &values[i];
  return NULL;
}

static void
add_to_line(teller *t, hd_prove_line *line, hd_vc_value v)
{
  hd_vc_value *more = hd_arena_alloc(t->story->arena, (line->nvalues + 1) * sizeof *more);
  if (line->nvalues)
    memcpy(more, line->values, line->nvalues * sizeof *more);
  more[line->nvalues++] = v;
  line->values = more;
}

static void
remember(hd_vc_value **list, size_t *n, size_t *cap, hd_vc_value v)
{
  hd_grow(list, cap, *n + 1, sizeof **list);
  (*list)[(*n)++] = v;
}

static void
add_value(teller *t, hd_prove_line *line, const hd_vc_value *v)
{
  static const char snapshot[] = "og_global_old_";
  if (t->task && t->task->layered && begins(v->name, snapshot))
  {
    hd_vc_value *old = find(t->snapshots, t->nsnapshots, v->name + sizeof snapshot - 1);
    if (old)
      old->value = v->value;
    else
      remember(&t->snapshots, &t->nsnapshots, &t->snapshots_cap,
               (hd_vc_value){v->name + sizeof snapshot - 1, v->value});
    return;
  }
  hd_string name = {0};
  if (!say_name(t, v->name, &name))
  {
    hd_string_free(&name);
    return;
  }
  hd_vc_value said = {settle(t->story->arena, &name), v->value}, *old = find(t->known, t->nknown, said.name);
  if (old && !strcmp(old->value, said.value))
    return;
  if (old)
    old->value = said.value;
  else
    remember(&t->known, &t->nknown, &t->known_cap, said);
  if (is_waiting(t, v->name))
    line = &t->waits;
  hd_vc_value *here = find(line->values, line->nvalues, said.name);
  if (here)
    here->value = said.value;
  else
    add_to_line(t, line, said);
}

/* ---- the way ---- */

/* The line that L continues, or a new one; a stretch of generated code belongs to the line before it. */
static hd_prove_line *
line_for(teller *t, const hd_vc_line *l)
{
  hd_prove_story *s = t->story;
  HD_CHECK(s->lines);
  hd_prove_line *last = s->nlines ? &s->lines[s->nlines - 1] : NULL;
  const char *in = NULL;
  if (last && !l->at.line)
    return last;
  if (l->inlined && !waiting(t->task, s->arena, l->inlined))
    in = keep(s->arena, l->inlined, without_layer(t->task, l->inlined, strlen(l->inlined)));
  bool same_in = last && (in ? last->in && !strcmp(in, last->in) : !last->in);
  if (same_in && !l->loop && last->at.line == l->at.line && last->at.file == l->at.file)
    return last;
  hd_prove_line *line = &s->lines[s->nlines++];
  *line = (hd_prove_line){.at = l->at, .in = in};
  if (!last)
    line->what = "at the start";
  else if (l->loop)
    line->what = "at the head of the loop, after any number of rounds";
  if (l->at.line)
    line->text = hd_prove_source_line(t->source, s->arena, l->at);
  return line;
}

static void
tell_way(teller *t, const hd_vc_failure *f)
{
  hd_prove_story *s = t->story;
  size_t n = 2;
  for (size_t i = 0; i < f->nsteps; i++)
    n += f->steps[i].nlines;
  s->lines = hd_arena_alloc(s->arena, n * sizeof *s->lines);
  if (f->nsteps && !(f->steps[0].nlines && !f->steps[0].lines[0].at.line))
    s->lines[s->nlines++] = (hd_prove_line){.what = "at the start"};
  for (size_t i = 0; i < f->nsteps; i++)
    for (size_t j = 0; j < f->steps[i].nlines; j++)
    {
      const hd_vc_line *l = &f->steps[i].lines[j];
      hd_prove_line *line = line_for(t, l);
      for (size_t k = 0; k < l->nvalues; k++)
        add_value(t, line, &l->values[k]);
    }
  if (t->waits.nvalues)
  {
    t->waits.what = "meanwhile, at its yield:";
    s->lines[s->nlines++] = t->waits;
  }
  /* A start about which nothing is known says nothing. */
  if (s->nlines && !s->lines[0].at.line && !s->lines[0].nvalues)
  {
    s->nlines--;
    s->lines++;
  }
}

static void
tell_beginning(teller *t)
{
  hd_prove_story *s = t->story;
  s->before = hd_arena_alloc(s->arena, (t->nsnapshots + 1) * sizeof *s->before);
  for (size_t i = 0; i < t->nsnapshots; i++)
  {
    const hd_vc_value *now = find(t->known, t->nknown, t->snapshots[i].name);
    if (now && strcmp(now->value, t->snapshots[i].value) != 0)
      s->before[s->nbefore++] = t->snapshots[i];
  }
}

/* ---- what it means ---- */

static const char *
refinement_words(hd_arena *a, const hd_civl_task *t, const char *message)
{
  const char *p = t->subject, *action = t->refines;
  if (begins(message, "Transition invariant violated in initial"))
    return action ? say(a, "%s can do something between two yields that %s could not do in one step", p, action)
                  : say(a, "%s can change variables of the layer above, but refines no action", p);
  if (begins(message, "Transition invariant violated in final"))
    return action ? say(a, "after %s has done %s, it can change variables of the layer above, or its outputs, again", p,
                        action)
                  : say(a, "%s can change variables of the layer above, but refines no action", p);
  if (begins(message, "Failed to execute"))
    return say(a, "%s can return without having done %s", p, action ? action : "its step");
  return say(a, "%s can do %s inside this loop, where it is not known in which round", p, action ? action : "its step");
}

static void
tell_refinement(teller *t, const hd_vc_assertion *a)
{
  hd_prove_story *s = t->story;
  s->other = t->task->refines;
  s->message = refinement_words(s->arena, t->task, a->message);
  if (!s->at.line)
  {
    /* Checked where the stretch ends: that is after the last line. */
    s->at = t->task->at;
    for (size_t i = s->nlines; i > 0; i--)
      if (s->lines[i - 1].at.line && !s->lines[i - 1].in)
      {
        s->at = s->lines[i - 1].at;
        break;
      }
  }
  s->related = t->task->at;
  s->related_message = t->task->refines ? say(s->arena, "%s refines %s", t->task->subject, t->task->refines)
                                        : say(s->arena, "%s has no {:refines}", t->task->subject);
}

/* The value that NAME has in F, or null. */
static const char *
value_in(const hd_vc_failure *f, const char *name)
{
  for (size_t i = 0; i < f->nsteps; i++)
    for (size_t j = 0; j < f->steps[i].nlines; j++)
    {
      const hd_vc_line *l = &f->steps[i].lines[j];
      for (size_t k = 0; k < l->nvalues; k++)
        if (!strcmp(l->values[k].name, name))
          return l->values[k].value;
    }
  return NULL;
}

/* A parameter that both actions have, of a type of the program's own, and that is the same for both: linear ones never
 * are. Null: there is none. */
static const char *
shared_parameter(const teller *t, const hd_vc_failure *f)
{
  for (size_t i = 0; i < t->impl->ins.n; i++)
  {
    const hd_boogie_var *v = t->impl->ins.items[i];
    if (!begins(v->name, "first_") || hd_boogie_expand(v->type)->kind != HD_BOOGIE_CTOR)
      continue;
    const char *name = v->name + strlen("first_"), *one = value_in(f, v->name);
    const char *two = value_in(f, say(t->story->arena, "second_%s", name));
    if (one && two && !strcmp(one, two))
      return name;
  }
  return NULL;
}

static void
tell_actions(teller *t, const hd_vc_failure *f)
{
  const hd_vc_assertion *a = f->assertion;
  hd_prove_story *s = t->story;
  const hd_civl_task *task = t->task;
  hd_string meaning = {0}, end = {0};
  hd_civl_task_meaning(task, &meaning);
  s->message = settle(s->arena, &meaning);
  s->other = task->other;
  s->at = task->at;
  s->related = (hd_boogie_place){0};
  bool self = task->other && !strcmp(task->subject, task->other);
  const char *first = say(s->arena, "%s%s", self ? "the first " : "", task->subject);
  const char *second = say(s->arena, "%s%s", self ? "the second " : "", task->other ? task->other : "");
  bool gate = s->check == HD_CIVL_GATE_PRESERVATION || s->check == HD_CIVL_FAILURE_PRESERVATION;
  if (gate && a->related.line && (a->related.line != s->at.line || a->related.column != s->at.column))
  {
    s->related = a->related;
    s->related_message = "this is the gate";
  }
  if (s->check == HD_CIVL_COMMUTATIVITY)
    hd_string_printf(&end, "from the same start, %s and then %s cannot end like this", second, first);
  else if (gate)
    hd_string_printf(&end, "now the gate of %s %s", first,
                     s->check == HD_CIVL_GATE_PRESERVATION ? "does not hold any more"
                                                           : "holds, which it did not before");
  else if (s->check == HD_CIVL_NON_BLOCKING)
    hd_string_printf(&end, "from here, every path through %s is blocked by an assume", first);
  else
    hd_string_printf(&end, "now a permission of domain %s is there more often than before",
                     task->other ? task->other : "");
  const char *shared = task->other && s->check != HD_CIVL_LINEARITY ? shared_parameter(t, f) : NULL;
  if (shared)
    hd_string_printf(&end, " (both have the same %s; if two threads cannot, let it be linear)", shared);
  s->end = settle(s->arena, &end);
}

static void
tell_plainly(hd_prove_story *s, const hd_vc_failure *f)
{
  const hd_vc_assertion *a = f->assertion;
  s->message = a->said        ? a->said
               : a->message   ? a->message
               : f->candidate ? reasons[a->reason].unproved
                              : reasons[a->reason].fails;
  if (reasons[a->reason].related && a->related.line)
  {
    s->related = a->related;
    s->related_message = a->related_message ? a->related_message : reasons[a->reason].related;
  }
}

static void
tell_meaning(teller *t, const hd_vc_failure *f)
{
  hd_prove_story *s = t->story;
  const hd_vc_assertion *a = f->assertion;
  const hd_civl_task *task = t->task;
  const char *plain = f->candidate ? reasons[a->reason].unproved : reasons[a->reason].fails;
  tell_plainly(s, f);
  if (!task)
    return;
  if (s->check == HD_CIVL_NON_INTERFERENCE)
  {
    const char *who = waiting(task, s->arena, a->inlined);
    s->other = who;
    tell_beginning(t);
    if (who)
      s->message = say(s->arena, "what %s relies on here while it waits at a yield, a step of %s can make false", who,
                       !strcmp(who, task->subject) ? "another thread in the same procedure" : task->subject);
    if (who)
      s->end = say(s->arena, "when %s goes on now, the predicate at its yield does not hold any more", who);
  }
  else if (s->check == HD_CIVL_REFINEMENT && a->message)
  {
    tell_beginning(t);
    tell_refinement(t, a);
  }
  else if (task->check != HD_CIVL_SEQUENTIAL)
    tell_actions(t, f);
  if (f->candidate && s->message != plain)
    s->message = say(s->arena, "not proved: %s", s->message);
}

hd_prove_story *
hd_prove_story_new(const hd_boogie_impl *impl, const hd_civl_task *task, const hd_vc_failure *f)
{
  hd_arena *arena = hd_arena_new();
  hd_prove_story *s = hd_arena_alloc(arena, sizeof *s);
  const hd_vc_assertion *a = f->assertion;
  *s = (hd_prove_story){.arena = arena,
                        .task = task,
                        .check = task ? hd_civl_check_of(task, a->message) : HD_CIVL_SEQUENTIAL,
                        .reason = reasons[a->reason].word,
                        .certain = !f->candidate,
                        .procedure = task ? task->subject : impl->name,
                        .at = f->at};
  /* An assertion that is generated has its own word. */
  if (s->check != HD_CIVL_SEQUENTIAL)
    s->reason = hd_civl_check_name(s->check);
  teller t = {.story = s, .impl = impl, .task = task, .source = hd_prove_source_new()};
  tell_way(&t, f);
  tell_meaning(&t, f);
  hd_prove_source_free(t.source);
  free(t.known);
  free(t.snapshots);
  if (!s->at.line)
    s->at = task ? task->at : impl->at;
  return s;
}

void
hd_prove_story_free(hd_prove_story *s)
{
  if (s)
    hd_arena_free(s->arena);
}
