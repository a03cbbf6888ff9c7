/* plan.c: everything that is found out about a controller before code is made of it. */
#include <string.h>

#include "generate/plan.h"

enum
{
  MOST_QUEUES = 64 /* a set of queues is one number */
};

static void *
array(hd_arena *arena, size_t n, size_t size)
{
  return memset(hd_arena_alloc(arena, (n + 1) * size), 0, (n + 1) * size);
}

hd_generate_plan *
hd_generate_plan_new(const hd_controller *c, const char *text, size_t n, hd_string *error)
{
  hd_arena *arena = hd_arena_new();
  hd_generate_plan *p = array(arena, 1, sizeof *p);
  *p = (hd_generate_plan){.c = c, .arena = arena};
  p->queue_of = array(arena, c->nactions, sizeof *p->queue_of);
  p->first_command = array(arena, c->nactions + 1, sizeof *p->first_command);
  p->queues = array(arena, c->nactions, sizeof *p->queues);
  for (size_t a = 0; a < c->nactions; a++)
  {
    p->first_command[a + 1] = p->first_command[a] + c->actions[a].ncommands;
    p->queue_of[a] = SIZE_MAX;
    if (!c->actions[a].blocking)
      continue;
    p->queue_of[a] = p->nqueues;
    p->queues[p->nqueues++] = (hd_generate_queue){.action = (uint32_t) a, .rule = HD_GENERATE_ALL};
  }
  size_t ncommands = p->first_command[c->nactions];
  p->commands = array(arena, ncommands, sizeof *p->commands);
  p->wakes = array(arena, ncommands * p->nqueues, sizeof *p->wakes);
  p->alone = array(arena, c->nactions, sizeof *p->alone);
  p->ranges = array(arena, c->nvariables, sizeof *p->ranges);
  if (p->nqueues > MOST_QUEUES)
    hd_string_printf(error, "controller '%s' has %zu blocking actions; generated code has room for %d", c->name,
                     p->nqueues, MOST_QUEUES);
  else if (hd_generate_read_source(p, text, n, error))
  {
    hd_generate_find_wakes(p);
    hd_generate_find_alone(p);
    return p;
  }
  hd_arena_free(arena);
  return NULL;
}

void
hd_generate_plan_free(hd_generate_plan *p)
{
  if (p)
    hd_arena_free(p->arena); /* P is in it */
}

void
hd_generate_prove(hd_generate_plan *p, hd_string *messages)
{
  const hd_controller *c = p->c;
  for (size_t q = 0; q < p->nqueues; q++)
  {
    hd_generate_queue *queue = &p->queues[q];
    const hd_control_action *a = &c->actions[queue->action];
    queue->proved = hd_generate_prove_queue(p, q, NULL) == HD_HOLDS;
    if (!queue->proved && queue->rule != HD_GENERATE_ALL)
    {
      queue->rule = HD_GENERATE_ALL;
      queue->refuge = "that waking one at a time is enough could not be proved";
      queue->proved = hd_generate_prove_queue(p, q, NULL) == HD_HOLDS;
    }
    if (!queue->proved)
    {
      queue->rule = HD_GENERATE_ALL;
      queue->refuge = "that fewer wake-ups are enough could not be proved";
      for (size_t i = 0; i < p->first_command[c->nactions]; i++)
        p->wakes[i * p->nqueues + q].when = p->commands[i].update[0] ? HD_GENERATE_ALWAYS : HD_GENERATE_NEVER;
    }
    if (queue->refuge)
      hd_string_printf(messages, "%s:%u:%u: note: everybody who waits for '%s' is woken %s: %s\n", c->path,
                       a->place.line, a->place.column, a->name,
                       queue->proved ? "when a guard of it becomes true" : "by every change", queue->refuge);
  }
}
