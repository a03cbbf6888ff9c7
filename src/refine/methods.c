/* methods.c: a call in the log and a method of the specification: which one it is, and whether the values have its
 * types. */
#include "refine/internal.h"

#include <stdlib.h>
#include <string.h>

static const char *
letter_name(char letter)
{
  switch (letter)
  {
  case 'n':
    return "nil";
  case 's':
    return "a string";
  case 'y':
    return "a byte string";
  case 'b':
    return "a boolean";
  case 'i':
    return "a signed integer";
  case 'u':
    return "an unsigned integer";
  default:
    return "a value";
  }
}

bool
refine_find_method(hd_refine *r, const hd_event *e, uint32_t *method)
{
  method_place *place = &r->places[e->site % PLACES];
  if (HD_LIKELY(place->site == e->site && place->method))
  {
    *method = place->method - 1;
    return true;
  }
  const hd_log_site *site = hd_log_site_get(r->log, e->site);
  const char *name = site ? site->method : "";
  for (size_t i = 0; i < r->spec->nmethods; i++)
    if (strcmp(r->spec->methods[i].name, name) == 0)
    {
      *place = (method_place){.site = e->site, .method = (uint32_t) i + 1};
      *method = (uint32_t) i;
      return true;
    }
  hd_string known = {0};
  for (size_t i = 0; i < r->spec->nmethods; i++)
    hd_string_printf(&known, "%s%s", i ? ", " : "", r->spec->methods[i].name);
  char *where = describe_place(r, hd_event_place(e));
  bool never = refine_bad_spec(r, NULL, hd_event_place(e),
                               hd_text("%s: the log calls method '%s', which specification '%s' does not know "
                                       "(it knows: %s)",
                                       where, name, r->spec->name, known.text ? known.text : "none"));
  free(where);
  hd_string_free(&known);
  return never;
}

bool
refine_take_args(hd_refine *r, const hd_event *e, op *o)
{
  const hd_method *m = &r->spec->methods[o->method];
  size_t arity = r->arity[o->method];
  if (e->nvalues != arity)
  {
    char *where = describe_place(r, hd_event_place(e));
    bool never = refine_bad_spec(r, NULL, hd_event_place(e),
                                 hd_text("%s: the log calls %s with %u argument%s, specification '%s' declares %zu",
                                         where, m->name, e->nvalues, e->nvalues == 1 ? "" : "s", r->spec->name, arity));
    free(where);
    return never;
  }
  if (arity > sizeof o->inline_args / sizeof *o->inline_args)
    o->args = hd_alloc_array(arity, sizeof *o->args);
  for (size_t i = 0; i < arity; i++)
  {
    hd_value v = e->values[i];
    if (HD_UNLIKELY(!hd_value_convert(&v, m->args[i])))
    {
      char *where = describe_place(r, hd_event_place(e));
      hd_string text = {0};
      hd_value_print(&text, e->values[i], 40);
      bool never = refine_bad_spec(r, NULL, hd_event_place(e),
                                   hd_text("%s: argument %zu of %s is %s (%s), specification '%s' declares %s", where,
                                           i + 1, m->name, text.text, hd_type_name(e->values[i].type), r->spec->name,
                                           letter_name(m->args[i])));
      hd_string_free(&text);
      free(where);
      return never;
    }
    o->args[i] = value_own(v);
    o->nargs++;
  }
  return true;
}

bool
refine_take_return(hd_refine *r, const hd_event *e, op *o, bool exceptional)
{
  const hd_method *m = &r->spec->methods[o->method];
  hd_value v = e->nvalues ? e->values[0] : hd_nil();
  /* An exception may be of any type: the method's type is that of its normal return. */
  if (HD_UNLIKELY(!exceptional && !hd_value_convert(&v, m->ret)))
  {
    char *where = describe_place(r, hd_event_place(e));
    hd_string text = {0};
    hd_value_print(&text, v, 40);
    if (!(o->flags & OP_RET_KNOWN)) /* for the report */
    {
      o->ret = value_own(v);
      o->end = e->stamp;
      o->return_site = hd_event_place(e);
      o->flags |= OP_RET_KNOWN | OP_RETURNED | (e->ticked ? OP_END_TICKED : 0);
    }
    bool never = refine_bad_spec(r, o, hd_event_place(e),
                                 hd_text("%s: %s returned %s (%s), specification '%s' declares %s", where, m->name,
                                         text.text, hd_type_name(v.type), r->spec->name, letter_name(m->ret)));
    hd_string_free(&text);
    free(where);
    return never;
  }
  if (o->flags & OP_RET_KNOWN)
  {
    bool same = exceptional == ((o->flags & OP_EXCEPTIONAL) != 0) && hd_value_equal(v, o->ret);
    if (!same)
    {
      char *where = describe_place(r, hd_event_place(e)), *what = describe_op(r, o);
      refine_annotation_error(
          r, e, o,
          hd_text("wrong annotation at %s: the return value is not the one that the commit of %s (thread "
                  "%u) announced",
                  where, what, o->thread),
          NULL);
      free(where);
      free(what);
    }
    return true;
  }
  o->ret = value_own(v);
  o->flags |= OP_RET_KNOWN | (exceptional ? OP_EXCEPTIONAL : 0);
  return true;
}
