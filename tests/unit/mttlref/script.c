/* script.c: an execution in words, through src/mttl. */
#include <stdlib.h>
#include <string.h>

#include "mttlref/script.h"

enum
{
  MOST = 16
};

typedef struct run
{
  hd_mttl_file *f;
  hd_mttl_monitor *m;
  hd_mttl_thread *threads[MOST];
  unsigned count[MOST];
  hd_mttl_object tokens[MOST];
  char names[MOST][16]; /* of locations and objects */
  hd_mttl_location locations[MOST];
  hd_mttl_object objects[MOST];
  size_t n;
  hd_string out, *why;
} run;

static void
report(void *context, hd_mttl_thread *t, const hd_mttl_property *p)
{
  run *r = context;
  unsigned number = hd_mttl_thread_number(t);
  hd_string_printf(&r->out, "%s%u.%u:%s", r->out.length ? " " : "", number, r->count[number], p->name);
  if (r->why)
  {
    hd_string_clear(r->why);
    hd_mttl_explain(r->why, t, p);
  }
}

static size_t
find(run *r, const char *name)
{
  for (size_t i = 0; i < r->n; i++)
    if (strcmp(r->names[i], name) == 0)
      return i;
  HD_CHECK(r->n < MOST && strlen(name) < sizeof r->names[0]);
  strcpy(r->names[r->n], name);
  return r->n++;
}

static int32_t
find_variable(const run *r, const char *name, bool shared)
{
  for (size_t i = 0; i < r->f->nvariables; i++)
    if (r->f->variables[i].shared == shared && strcmp(r->f->variables[i].name, name) == 0)
      return (int32_t) i;
  return -1;
}

static hd_mttl_value
value_of(hd_mttl_type type, const char *text)
{
  hd_mttl_value v = {.type = *text ? type : HD_MTTL_UNDEFINED};
  if (v.type == HD_MTTL_REAL)
    v.real = strtod(text, NULL);
  else if (v.type == HD_MTTL_STRING)
    v.text = text;
  else
    v.number = strtoll(text, NULL, 10);
  return v;
}

static hd_mttl_event
event_of(run *r, const char *word, const char *name, const char *value)
{
  hd_mttl_event e = HD_MTTL_NO_EVENT;
  if (strcmp(word, "r") == 0 || strcmp(word, "w") == 0)
  {
    e.op = *word == 'r' ? HD_MTTL_R : HD_MTTL_W;
    e.loc = 16 * find(r, name);
    e.size = 8;
    e.variable = find_variable(r, name, true);
    if (e.variable >= 0)
      e.value = value_of(r->f->variables[e.variable].type, value);
  }
  for (size_t i = 0; i < r->f->nlocks; i++)
    if (e.op == HD_MTTL_NONE && strcmp(r->f->locks[i], name) == 0)
      e.lock = (int32_t) i;
  e.taken = strcmp(word, "acq") == 0 || (strstr(word, "lock") && !strstr(word, "un"));
  for (size_t i = 0; i < r->f->nfunctions; i++)
    if (strcmp(word, "enter") == 0 && strcmp(r->f->functions[i], name) == 0)
      e.function = (int32_t) i;
  return e;
}

static void
step(run *r, unsigned thread, const char *word, const char *name, const char *value)
{
  hd_mttl_thread *t = r->threads[thread];
  hd_mttl_event e = event_of(r, word, name, value);
  unsigned other = (unsigned) strtoul(name, NULL, 10);
  r->count[thread]++;
  hd_mttl_location *x = &r->locations[find(r, name)];
  hd_mttl_object *o = &r->objects[find(r, name)];
  if (strcmp(word, "r") == 0 || strncmp(word, "rd", 2) == 0)
    hd_mttl_reads(t, &x, 1, &e);
  else if (strcmp(word, "w") == 0 || strncmp(word, "wr", 2) == 0)
    hd_mttl_writes(t, &x, 1, &e);
  else if (strcmp(word, "set") == 0)
  {
    int32_t variable = find_variable(r, name, false);
    if (variable >= 0)
      hd_mttl_internal(t, (uint32_t) variable, value_of(r->f->variables[variable].type, value));
    else
      hd_mttl_local(t, &e);
  }
  else if (strcmp(word, "acq") == 0)
    hd_mttl_acquire(t, o, &e);
  else if (strcmp(word, "rel") == 0)
    hd_mttl_release(t, o, &e);
  else if (strcmp(word, "store") == 0)
    hd_mttl_replace(t, o, &e);
  else if (strcmp(word, "enter") == 0 || strcmp(word, "step") == 0)
    hd_mttl_local(t, &e);
  else if (strcmp(word, "fork") == 0)
  {
    r->count[other]++;
    r->threads[other] = hd_mttl_thread_new(r->m, t, NULL);
    HD_CHECK(hd_mttl_thread_number(r->threads[other]) == other);
  }
  else if (strcmp(word, "exit") == 0)
    hd_mttl_exits(t, &r->tokens[thread]);
  else if (strcmp(word, "join") == 0)
    hd_mttl_acquire(t, &r->tokens[other], &e);
  else
    abort();
}

char *
script_judge(const char *text, unsigned nthreads, const char *script, hd_string *why)
{
  run r = {.why = why};
  hd_string messages = {0};
  r.f = hd_mttl_parse("script", text, strlen(text), &messages);
  if (!r.f)
    return messages.text;
  r.m = hd_mttl_monitor_new(r.f, report, &r);
  hd_string_add(&r.out, "");
  for (unsigned i = 0; i < nthreads; i++)
    r.threads[i] = hd_mttl_thread_new(r.m, NULL, (char[]){(char) ('a' + i), 0});
  char *copy = hd_strndup(script, strlen(script)), *rest = copy;
  for (char *event; (event = strsep(&rest, ";"));)
  {
    unsigned thread;
    char word[16], name[16] = "", value[16] = "";
    if (sscanf(event, "%u %15s %15s %15s", &thread, word, name, value) >= 2)
      step(&r, thread, word, name, value);
  }
  free(copy);
  for (size_t i = 0; i < MOST; i++)
  {
    hd_mttl_thread_free(r.threads[i]);
    hd_mttl_location_clear(&r.locations[i]);
    hd_mttl_object_clear(&r.objects[i]);
    hd_mttl_object_clear(&r.tokens[i]);
  }
  hd_mttl_monitor_free(r.m);
  hd_mttl_free(r.f);
  return r.out.text;
}
