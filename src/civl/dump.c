/* dump.c: the program of one layer as text, for people who look for what is wrong with a proof. */
#include "civl/internal.h"

typedef struct dump
{
  const hd_civl *c;
  table wanted;                          /* procedures */
  table bodies;                          /* procedures to their implementations in the plain program */
  HD_BOOGIE_LIST(hd_boogie_proc *) next; /* wanted, not yet looked into */
} dump;

static void
want(dump *d, hd_boogie_proc *proc)
{
  if (hd_civl_table_get(&d->wanted, proc))
    return;
  hd_civl_table_set(d->c->program, &d->wanted, proc, proc);
  HD_BOOGIE_ADD(d->c->program, d->next, proc);
}

/* And what they call, and what that calls. */
static void
want_callees(dump *d)
{
  while (d->next.n)
  {
    const hd_boogie_impl *body = hd_civl_table_get(&d->bodies, d->next.items[--d->next.n]);
    for (size_t i = 0; body && i < body->blocks.n; i++)
      for (size_t j = 0; j < body->blocks.items[i]->cmds.n; j++)
      {
        const hd_boogie_cmd *cmd = body->blocks.items[i]->cmds.items[j];
        if (cmd->kind == HD_BOOGIE_CALL)
          want(d, cmd->proc);
        for (size_t k = 0; k < cmd->calls.n; k++)
          want(d, cmd->calls.items[k]->proc);
      }
  }
}

static bool
is_printed(const dump *d, const hd_boogie_decl *decl)
{
  if (decl->kind == HD_BOOGIE_DECL_PROC)
    return hd_civl_table_get(&d->wanted, decl->proc);
  if (decl->kind == HD_BOOGIE_DECL_IMPL)
    return hd_civl_table_get(&d->wanted, decl->impl->proc);
  return true;
}

bool
hd_civl_dump(const hd_civl *c, int32_t layer, hd_string *out)
{
  dump d = {.c = c};
  bool found = false;
  for (size_t i = 0; i < c->program->decls.n; i++)
    if (c->program->decls.items[i].kind == HD_BOOGIE_DECL_IMPL)
      hd_civl_table_set(c->program, &d.bodies, c->program->decls.items[i].impl->proc, c->program->decls.items[i].impl);
  for (size_t i = 0; i < c->tasks.n; i++)
    if (c->tasks.items[i].layered && c->tasks.items[i].layer == layer)
    {
      want(&d, c->tasks.items[i].impl->proc);
      found = true;
    }
  for (size_t i = 0; i < c->actions.n; i++)
  {
    const action_copy *copy = hd_civl_copy_at(c, c->actions.items[i], layer);
    if (copy)
      want(&d, copy->proc);
    found |= copy != NULL;
  }
  want_callees(&d);
  if (!found)
  {
    hd_string_printf(out, "there is no layer %d; this program has", layer);
    for (size_t i = 0; i < c->action_layers.n; i++)
      hd_string_printf(out, "%s %d", i ? "," : "", c->action_layers.items[i]);
    hd_string_add(out, c->action_layers.n ? "\n" : " none\n");
    return false;
  }
  for (size_t i = 0; i < c->program->decls.n; i++)
    if (is_printed(&d, &c->program->decls.items[i]))
      hd_boogie_print_decl(&c->program->decls.items[i], out);
  return true;
}
