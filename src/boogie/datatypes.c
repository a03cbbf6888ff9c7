/* datatypes.c: the functions that a {:constructor} of a {:datatype} brings with it: field#C for each argument, and
 * is#C. */
#include <string.h>

#include "boogie/front.h"

static hd_boogie_function *
made(hd_boogie_program *p, hd_boogie_function *constructor, hd_boogie_place at, const char *name, hd_boogie_type *type)
{
  hd_boogie_function *f = hd_boogie_new_function(p, at, name);
  f->constructor = constructor;
  for (size_t i = 0; i < constructor->type_params.n; i++)
  {
    hd_boogie_type *v = hd_boogie_alloc(p, sizeof *v);
    *v = *constructor->type_params.items[i];
    HD_BOOGIE_ADD(p, f->type_params, v);
  }
  HD_BOOGIE_ADD(p, f->ins, hd_boogie_new_var(p, HD_BOOGIE_IN, constructor->at, "", constructor->out->type));
  f->out = hd_boogie_new_var(p, HD_BOOGIE_OUT, constructor->at, "", type);
  hd_boogie_declare_function(p, f);
  return f;
}

void
hd_boogie_make_datatypes(hd_boogie_program *p, hd_boogie_messages *m)
{
  hd_boogie_functions constructors = {0};
  for (size_t i = 0; i < p->decls.n; i++)
  {
    const hd_boogie_decl *d = &p->decls.items[i];
    if (d->kind == HD_BOOGIE_DECL_TYPE)
      d->type->is_datatype = hd_boogie_attr_flag(d->type->attrs, "datatype");
    if (d->kind != HD_BOOGIE_DECL_FUNCTION || !hd_boogie_attr_flag(d->function->attrs, "constructor"))
      continue;
    for (size_t j = 0; j < constructors.n; j++)
      if (!strcmp(constructors.items[j]->name, d->function->name))
      {
        hd_boogie_message_add(m, HD_BOOGIE_PHASE_PARSE, true, d->function->at,
                              "more than one declaration of datatype constructor name: %s", d->function->name);
        return;
      }
    d->function->role = HD_BOOGIE_CONSTRUCTOR;
    HD_BOOGIE_ADD(p, constructors, d->function);
  }
  for (size_t i = 0; i < constructors.n; i++)
  {
    hd_boogie_function *c = constructors.items[i];
    for (size_t j = 0; j < c->ins.n; j++)
    {
      const hd_boogie_var *in = c->ins.items[j];
      hd_boogie_function *f = made(p, c, in->at, hd_boogie_text(p, "%s#%s", in->name, c->name), in->type);
      f->role = HD_BOOGIE_SELECTOR;
      f->field = j;
      HD_BOOGIE_ADD(p, c->selectors, f);
    }
    c->tester = made(p, c, c->at, hd_boogie_text(p, "is#%s", c->name), p->bool_type);
    c->tester->role = HD_BOOGIE_TESTER;
  }
}
