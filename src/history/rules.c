/* rules.c: what the operations of a history mean to a specification: one table. */
#include "history/internal.h"

#include <stdlib.h>
#include <string.h>

static const struct
{
  const char *spec;
  hd_history_rule rule;
} table[] = {
    {"counter", {"inc", "inc", "", 'g'}},
    {"counter", {"dec", "dec", "", 'g'}},
    {"counter", {"add", "add", "v", 'g'}},
    {"counter", {"get", "get", "", 'v'}},
    {"counter", {"read", "get", "", 'v'}},
    {"lock", {"acquire", "acquire", "", '-'}},
    {"lock", {"release", "release", "", '-'}},
    {"lock", {"try", "try", "", 'b'}},
    {"map", {"get", "get", "k", 'v'}},
    {"map", {"put", "put", "kv", '-'}},
    {"map", {"append", "append", "kv", '-'}},
    {"map", {"del", "del", "k", 'o'}},
    {"multiset", {"insert", "insert", "e", 'o'}},
    {"multiset", {"delete", "delete", "e", 'o'}},
    {"multiset", {"count", "count", "e", 'v'}},
    {"multiset", {"contains", "contains", "e", 'b'}},
    {"pqueue", {"insert", "insert", "v", '-'}},
    {"pqueue", {"delmin", "delmin", "", 'v'}},
    {"queue", {"enqueue", "enqueue", "v", '-'}},
    {"queue", {"enq", "enq", "v", '-'}},
    {"queue", {"dequeue", "dequeue", "", 'v'}},
    {"queue", {"deq", "deq", "", 'v'}},
    {"register", {"read", "read", "", 'v'}},
    {"register", {"write", "write", "v", '-'}},
    {"register", {"cas", "cas", "vv", 'c'}},
    {"set", {"add", "add", "e", 'o'}},
    {"set", {"remove", "remove", "e", 'o'}},
    {"set", {"contains", "contains", "e", 'b'}},
    {"stack", {"push", "push", "v", '-'}},
    {"stack", {"pop", "pop", "", 'v'}},
};

enum
{
  NTABLE = sizeof table / sizeof *table
};

uint32_t
hd_history_method(const hd_spec *spec, const char *name)
{
  for (size_t i = 0; i < spec->nmethods; i++)
    if (strcmp(spec->methods[i].name, name) == 0)
      return (uint32_t) i;
  return UINT32_MAX;
}

/* For a specification that is not in the table: values in their order, and returned is what was not given. */
static hd_history_rule
derive(const hd_method *m)
{
  static const char values[HD_SITE_VALUES + 1] = "vvvvvvvv";
  size_t n = strlen(m->args);
  const char *args = values + HD_SITE_VALUES - (n < HD_SITE_VALUES ? n : HD_SITE_VALUES);
  char ret = m->ret == 'n' ? '-' : m->ret == 'b' ? 'b' : m->role == HD_OBSERVER || n == 0 ? 'v' : 'g';
  return (hd_history_rule){m->name, m->name, args, ret};
}

/* Does the Ith line of the table speak of METHOD of SPEC? A specification of that name may be somebody else's. */
static bool
applies(size_t i, const hd_spec *spec, const hd_method *m)
{
  return strcmp(table[i].spec, spec->name) == 0 && strcmp(table[i].rule.method, m->name) == 0
         && strlen(table[i].rule.args) == strlen(m->args);
}

hd_history_rule
hd_history_rule_get(const hd_spec *spec, uint32_t method)
{
  const hd_method *m = &spec->methods[method];
  for (size_t i = 0; i < NTABLE; i++)
    if (applies(i, spec, m))
      return table[i].rule;
  return derive(m);
}

hd_history_rule *
hd_history_rules(const hd_spec *spec, size_t *n)
{
  hd_history_rule *rules = NULL;
  size_t cap = 0;
  *n = 0;
  for (size_t k = 0; k < spec->nmethods; k++)
  {
    size_t before = *n;
    for (size_t i = 0; i < NTABLE; i++)
      if (applies(i, spec, &spec->methods[k]))
        HD_PUSH(rules, *n, cap, table[i].rule);
    if (*n == before)
      HD_PUSH(rules, *n, cap, derive(&spec->methods[k]));
  }
  return rules;
}
