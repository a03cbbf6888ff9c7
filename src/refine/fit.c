/* fit.c: is a specification fit for use? */
#include "refine/internal.h"

#include <string.h>

static char *
method_problem(const hd_spec *s, size_t i)
{
  const hd_method *m = &s->methods[i];
  if (!m->name || !*m->name)
    return hd_text("method %zu has no name", i);
  if (!m->args)
    return hd_text("method '%s' has no args string (\"\" for none)", m->name);
  for (const char *a = m->args; *a; a++)
    if (!strchr("iubsyn*", *a))
      return hd_text("method '%s': '%c' is no type letter (i u b s y n *)", m->name, *a);
  if (strlen(m->args) > HD_SITE_VALUES)
    return hd_text("method '%s' has more than %d arguments", m->name, HD_SITE_VALUES);
  if (!m->ret || !strchr("iubsyn*", m->ret))
    return hd_text("method '%s' has no return type letter (i u b s y n *; n: returns nothing)", m->name);
  if (m->role != HD_OBSERVER && m->role != HD_MUTATOR)
    return hd_text("method '%s' is neither HD_OBSERVER nor HD_MUTATOR", m->name);
  for (size_t k = 0; k < i; k++)
    if (strcmp(s->methods[k].name, m->name) == 0)
      return hd_text("method '%s' is listed twice", m->name);
  return NULL;
}

HD_GIVE char *
hd_spec_problem(const hd_spec *s)
{
  if (s->abi != HD_SPEC_ABI)
    return hd_text("it was made for version %u of <heddle/spec.h>, this heddle has version %u: compile it again",
                   s->abi, HD_SPEC_ABI);
  if (s->size != sizeof *s)
    return hd_text("its hd_spec has %u bytes, this heddle's has %zu: compile it again", s->size, sizeof *s);
  if (!s->name || !*s->name)
    return hd_text("it has no .name (the type of the objects that it specifies)");
  if (!s->create || !s->destroy || !s->apply)
    return hd_text("it lacks .%s", !s->create ? "create" : !s->destroy ? "destroy" : "apply");
  if (!s->methods || !s->nmethods)
    return hd_text("it has no .methods");
  for (size_t i = 0; i < s->nmethods; i++)
  {
    char *problem = method_problem(s, i);
    if (problem)
      return problem;
  }
  if (s->hash && !s->equal)
    return hd_text("it has .hash but no .equal");
  if (s->replica)
  {
    const hd_replica *r = s->replica;
    if (!r->create || !r->destroy || !r->write || !r->view)
      return hd_text("its replica lacks .%s", !r->create    ? "create"
                                              : !r->destroy ? "destroy"
                                              : !r->write   ? "write"
                                                            : "view");
    if (!s->view)
      return hd_text("it has a .replica but no .view to compare it with");
  }
  return NULL;
}
