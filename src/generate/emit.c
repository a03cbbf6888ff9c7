/* emit.c: the generated header: record, beginning and end, and the functions that controller.h asks for. */
#include <inttypes.h>
#include <string.h>

#include "generate/plan.h"

static const char *
queue_name(const hd_generate_emitting *x, size_t queue)
{
  return x->c->actions[x->p->queues[queue].action].name;
}

/* The compiler compares the controller's file with what it was when this was made. */
static void
emit_text(const hd_generate_emitting *x)
{
  hd_string_add(x->out,
                "\n#ifdef __cplusplus\nstatic_assert(\n#else\n_Static_assert(\n#endif\n    __builtin_strcmp(\n"
                "#define HD_CONTROLLER_PASS HD_CC_PASS_TEXT\n#include <heddle/controller_pass.h>\n        \"\"");
  const char *before = ",\n";
  for (const char *line = x->p->text; *line;)
  {
    size_t n = strcspn(line, "\n");
    hd_string_printf(x->out, "%s        \"%.*s\\n\"", before, (int) n, line);
    before = "\n";
    line += n + (line[n] == '\n');
  }
  hd_string_printf(x->out,
                   ")\n        == 0,\n    \"the controller %s has changed: run heddle control generate again\");\n",
                   x->c->name);
}

/* ---- the record ---- */

/* The variables under their names, for debuggers and tests; only where bit-fields are laid out like the word. */
static void
emit_view(const hd_generate_emitting *x)
{
  unsigned at = 0;
  hd_string_add(x->out, "#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__\n    __extension__ struct\n    {\n");
  while (at < 64)
  {
    size_t next = SIZE_MAX;
    for (size_t v = 0; v < x->c->nvariables; v++)
      if (x->fields[v].shift >= at && (next == SIZE_MAX || x->fields[v].shift < x->fields[next].shift))
        next = v;
    unsigned start = next == SIZE_MAX ? 64 : x->fields[next].shift;
    if (start > at)
      hd_string_printf(x->out, "      uint64_t : %u;\n", start - at);
    at = start;
    if (next == SIZE_MAX)
      continue;
    const hd_control_variable *v = &x->c->variables[next];
    const char *type = v->type == HD_CONTROL_INT ? (x->fields[next].wraps ? "int64_t" : "uint64_t") : "uint64_t";
    if (x->fields[next].least != 0)
      hd_string_printf(x->out, "      uint64_t hd_%s : %u; /* less %" PRId64 " */\n", v->name, x->fields[next].width,
                       x->fields[next].least);
    else
      hd_string_printf(x->out, "      %s %s : %u;\n", type, v->name, x->fields[next].width);
    at += x->fields[next].width;
  }
  hd_string_add(x->out, "    };\n#endif\n");
}

static void
emit_record(const hd_generate_emitting *x)
{
  const hd_controller *c = x->c;
  hd_string_printf(x->out, "\ntypedef struct %s\n{\n", c->name);
  if (x->packed)
  {
    hd_string_add(
        x->out,
        "  __extension__ union\n  {\n    uint64_t hd_word; /* variables, and below them the bits of the queues */\n");
    emit_view(x);
    hd_string_add(x->out, "  };\n");
    if (x->p->nqueues > 0)
      hd_string_printf(x->out, "  uint32_t hd_waiting[%zu]; /* threads that wait, for each blocking action */\n",
                       x->p->nqueues);
  }
  else
  {
    const char *kind = x->o->backend == HD_GENERATE_PTHREAD ? "pthread" : "futex";
    hd_string_printf(x->out, "  hd_controller_%s_base hd_base;\n", kind);
    if (x->p->nqueues > 0)
      hd_string_printf(x->out, "  hd_controller_%s_queue hd_queues[%zu];\n", kind, x->p->nqueues);
    for (size_t i = 0; i < c->nvariables; i++)
    {
      const hd_control_variable *v = &c->variables[i];
      if (v->type == HD_CONTROL_ENUM)
        hd_string_printf(x->out, "  enum %s_%s %s;\n", c->name, v->name, v->name);
      else
        hd_string_printf(x->out, "  %s %s;\n", v->type == HD_CONTROL_BOOL ? "bool" : "int", v->name);
    }
  }
  for (size_t i = 0; i < c->nconstants; i++)
    hd_string_printf(x->out, "  int %s;\n", c->constants[i].name);
  hd_string_printf(x->out, "  HD_CONTROLLER_MEMBERS\n} %s;\n", c->name);
  if (!x->packed && x->p->nqueues > 0)
    hd_string_printf(
        x->out, "HD_CC_ASSERT(offsetof(%s, hd_queues) == sizeof(hd_controller_%s_base), \"the queues come next\");\n",
        c->name, x->o->backend == HD_GENERATE_PTHREAD ? "pthread" : "futex");
}

static void
emit_queues(const hd_generate_emitting *x)
{
  if (x->p->nqueues == 0)
    return;
  const size_t n = x->p->nqueues;
  const size_t first = x->packed ? HD_GENERATE_WAIT_BITS : 0;
  size_t bit = first + n;
  hd_string keeps = {0};
  for (size_t q = 0; q < n && x->packed; q++)
    if (hd_generate_has_keeper(x, q))
      hd_string_printf(&keeps, ",\n  hd_%s_keeps_%s = 1 << %zu", x->c->name, queue_name(x, q), bit++);
  if (keeps.length)
    hd_string_add(x->out, "\n/* The wait bits, and the keeper bits of the queues in which one is woken. */");
  else if (x->packed)
    hd_string_add(x->out, "\n/* The wait bits. */");
  hd_string_add(x->out, "\nenum\n{\n");
  for (size_t q = 0; q < n; q++)
    hd_string_printf(x->out, x->packed ? "%s  hd_%s_waits_%s = 1 << %zu" : "%s  hd_%s_queue_%s = %zu", q ? ",\n" : "",
                     x->c->name, queue_name(x, q), first + q);
  hd_string_add(x->out, keeps.length ? keeps.text : "");
  hd_string_free(&keeps);
  hd_string_add(x->out, "\n};\n");
}

/* "hd_rw_waits_a | hd_rw_waits_b": the queues that are woken as a whole. */
static void
print_all(const hd_generate_emitting *x)
{
  size_t n = 0;
  for (size_t q = 0; q < x->p->nqueues; q++)
    if (x->p->queues[q].rule == HD_GENERATE_ALL)
      hd_string_printf(x->out, x->packed ? "%shd_%s_waits_%s" : "%sUINT64_C(1) << hd_%s_queue_%s", n++ ? " | " : "",
                       x->c->name, queue_name(x, q));
  hd_string_add(x->out, n ? "" : "0");
}

/* ---- functions ---- */

/* The word in the beginning, made of the members for the constants. */
static void
emit_start(const hd_generate_emitting *x)
{
  const hd_controller *c = x->c;
  hd_string starts = {0};
  for (size_t i = 0; i < c->nvariables; i++)
  {
    const hd_control_variable *v = &c->variables[i];
    hd_string start = {0};
    hd_generate_print_linear(&start, c, &v->start);
    if (x->fields[i].wraps)
      hd_string_printf(&starts, "  hd_word_ = HD_CC_WHOLE(hd_word_, %u, %s);\n", x->fields[i].shift, start.text);
    else if (x->fields[i].least != 0)
      hd_string_printf(&starts, "  hd_word_ += HD_CC_MORE(%s - (%" PRId64 "), %u); /* %s */\n", start.text,
                       x->fields[i].least, x->fields[i].shift, v->name);
    else
      hd_string_printf(&starts, "  hd_word_ += HD_CC_MORE(%s, %u); /* %s */\n", start.text, x->fields[i].shift,
                       v->name);
    hd_string_free(&start);
  }
  hd_string_printf(x->out, "\nstatic inline HD_CC_INLINE uint64_t\nhd_%s_start(const %s *hd_c_)\n{\n", c->name,
                   c->name);
  bool any = false;
  for (size_t i = 0; i < c->nconstants; i++)
    if (hd_generate_mentions(starts.text ? starts.text : "", c->constants[i].name))
    {
      hd_string_printf(x->out, "  const int %s = hd_c_->%s;\n", c->constants[i].name, c->constants[i].name);
      any = true;
    }
  hd_string_printf(x->out, "%s  uint64_t hd_word_ = 0;\n%s  return hd_word_;\n}\n", any ? "" : "  (void) hd_c_;\n",
                   starts.text ? starts.text : "");
  hd_string_free(&starts);
}

static void
emit_init(const hd_generate_emitting *x)
{
  const hd_controller *c = x->c;
  hd_string_printf(x->out, "\nstatic inline void\nhd_%s_init(%s *hd_c_", c->name, c->name);
  for (size_t i = 0; i < c->nconstants; i++)
    hd_string_printf(x->out, ", int %s", c->constants[i].name);
  hd_string_add(x->out,
                ")\n{\n#define HD_CONTROLLER_PASS HD_CC_PASS_ASSUMPTIONS\n#include <heddle/controller_pass.h>\n");
  for (size_t i = 0; i < c->nconstants; i++)
    hd_string_printf(x->out, "  hd_c_->%s = %s;\n", c->constants[i].name, c->constants[i].name);
  if (x->packed)
  {
    for (size_t q = 0; q < x->p->nqueues; q++)
      hd_string_printf(x->out, "  hd_c_->hd_waiting[%zu] = 0;\n", q);
    hd_string_printf(x->out, "  __atomic_store_n(&hd_c_->hd_word, hd_%s_start(hd_c_), __ATOMIC_SEQ_CST);\n", c->name);
  }
  else if (x->o->backend == HD_GENERATE_PTHREAD)
    hd_string_printf(x->out, "  hd_controller_pthread_init(hd_c_, %zu);\n", x->p->nqueues);
  else
    hd_string_printf(x->out, "  hd_controller_monitor_init(hd_c_, %zu);\n", x->p->nqueues);
  for (size_t i = 0; i < c->nvariables && !x->packed; i++)
  {
    const hd_control_variable *v = &c->variables[i];
    hd_string start = {0};
    hd_generate_print_linear(&start, c, &v->start);
    if (v->type == HD_CONTROL_ENUM)
      hd_string_printf(x->out, "  hd_c_->%s = %s_%s;\n", v->name, c->name, v->values[v->start.constant]);
    else if (v->type == HD_CONTROL_BOOL)
      hd_string_printf(x->out, "  hd_c_->%s = %s;\n", v->name, v->start.constant ? "true" : "false");
    else
      hd_string_printf(x->out, "  hd_c_->%s = %s;\n", v->name, start.text);
    hd_string_free(&start);
  }
  hd_string_add(x->out, "}\n");

  hd_string_printf(x->out, "\nstatic inline void\nhd_%s_destroy(%s *hd_c_)\n{\n", c->name, c->name);
  if (!x->packed && x->o->backend == HD_GENERATE_PTHREAD)
    hd_string_printf(x->out, "  hd_controller_pthread_destroy(hd_c_, %zu);\n}\n", x->p->nqueues);
  else
    hd_string_add(x->out, "  (void) hd_c_;\n}\n");
}

/* The word that a thread finds which is alone. */
static void
emit_alone(const hd_generate_emitting *x, size_t action)
{
  const hd_generate_alone *alone = &x->p->alone[action];
  const char *c = x->c->name;
  if (!x->packed || !alone->plain)
    return;
  hd_string_printf(x->out,
                   "\nstatic inline HD_CC_INLINE uint64_t\nhd_%s_alone_%s(const %s *hd_c_)\n{\n"
                   "  uint64_t hd_word_ = hd_%s_start(hd_c_);\n",
                   c, x->c->actions[action].name, c, c);
  if (alone->n > 0)
    hd_string_add(x->out, "  uint32_t hd_wake_ = 0;\n");
  for (size_t i = 0; i < alone->n; i++)
    hd_string_printf(x->out, "  hd_%s_step_%s(hd_c_, &hd_word_, &hd_wake_);\n", c,
                     x->c->actions[alone->actions[i]].name);
  hd_string_add(x->out, "  return hd_word_;\n}\n");
}

/* How ACTION is executed without waiting; GUESS: with what a thread finds which is alone, if that is known, where a
 * thread that comes, and does not leave, may let others go on first. */
static void
print_now(const hd_generate_emitting *x, size_t index, bool guess)
{
  const char *action = x->c->actions[index].name;
  guess = guess && x->packed && x->p->alone[index].plain;
  if (x->packed)
    hd_string_printf(x->out, "hd_controller_packed_%s(hd_%s_step_%s, hd_c_, &hd_c_->hd_word, ", guess ? "guess" : "now",
                     x->c->name, action);
  else
    hd_string_printf(x->out, "hd_controller_queued_now(&hd_controller_%s, hd_%s_step_%s, hd_c_, ",
                     x->o->backend == HD_GENERATE_PTHREAD ? "pthread" : "futex", x->c->name, action);
  print_all(x);
  if (guess)
    hd_string_printf(x->out, ",\n                                     hd_%s_alone_%s(hd_c_), %s", x->c->name, action,
                     x->p->queue_of[index] != SIZE_MAX ? "true" : "false");
  hd_string_add(x->out, ")");
}

/* The queues that a thread may keep which waits in QUEUE. How many? */
static size_t
emit_kept(const hd_generate_emitting *x, size_t queue)
{
  const char *c = x->c->name;
  size_t n = 0;
  for (size_t q = 0; q < x->p->nqueues; q++)
  {
    if (!hd_generate_has_keeper(x, q) || !x->p->queues[q].keepers[queue])
      continue;
    if (n++ == 0)
      hd_string_printf(x->out, "\nstatic const hd_controller_packed_queue hd_%s_kept_%s[] HD_CC_UNUSED = {", c,
                       queue_name(x, queue));
    hd_string_printf(x->out, "%s\n    {hd_%s_can_%s, hd_%s_waits_%s, hd_%s_keeps_%s}", n > 1 ? "," : "", c,
                     queue_name(x, q), c, queue_name(x, q), c, queue_name(x, q));
  }
  hd_string_add(x->out, n ? "};\n" : "");
  return n;
}

static void
emit_how_packed(const hd_generate_emitting *x, size_t queue)
{
  const char *name = queue_name(x, queue), *c = x->c->name;
  const hd_generate_queue *q = &x->p->queues[queue];
  const size_t nkept = emit_kept(x, queue);
  hd_string_printf(x->out, "\nstatic const hd_controller_packed hd_%s_how_%s HD_CC_UNUSED = {\n    hd_%s_step_%s, ", c,
                   name, c, name);
  if (q->rule == HD_GENERATE_ALL)
    hd_string_add(x->out, "NULL, ");
  else
    hd_string_printf(x->out, "hd_%s_can_%s, ", c, name);
  if (nkept)
    hd_string_printf(x->out, "hd_%s_kept_%s, %zu, ", c, name, nkept);
  else
    hd_string_add(x->out, "NULL, 0, ");
  hd_string_printf(x->out, "%s, %s, %s,\n    hd_%s_waits_%s, ", x->p->alone[q->action].plain ? "true" : "false",
                   x->p->shares ? "true" : "false", q->rule == HD_GENERATE_CHAIN ? "true" : "false", c, name);
  if (hd_generate_has_keeper(x, queue))
    hd_string_printf(x->out, "hd_%s_keeps_%s, ", c, name);
  else
    hd_string_add(x->out, "0, ");
}

static void
emit_how_queued(const hd_generate_emitting *x, size_t queue)
{
  const char *name = queue_name(x, queue), *c = x->c->name;
  const hd_generate_queue *q = &x->p->queues[queue];
  hd_string_printf(x->out,
                   "\nstatic const hd_controller_queued hd_%s_how_%s HD_CC_UNUSED = {\n    &hd_controller_%s, "
                   "hd_%s_step_%s, ",
                   c, name, x->o->backend == HD_GENERATE_PTHREAD ? "pthread" : "futex", c, name);
  if (q->rule == HD_GENERATE_ALL)
    hd_string_add(x->out, "NULL");
  else
    hd_string_printf(x->out, "hd_%s_can_%s", c, name);
  hd_string_printf(x->out, ", %s, hd_%s_queue_%s, ", q->rule == HD_GENERATE_CHAIN ? "true" : "false", c, name);
}

static void
emit_blocking(const hd_generate_emitting *x, size_t queue)
{
  const char *name = queue_name(x, queue), *c = x->c->name;
  const hd_generate_queue *q = &x->p->queues[queue];
  emit_alone(x, q->action);
  if (x->packed)
    emit_how_packed(x, queue);
  else
    emit_how_queued(x, queue);
  print_all(x);
  hd_string_printf(x->out,
                   "};\n\nHD_CC_GENERATED_FUNCTION bool\nhd_%s_wait_%s(%s *hd_c_, const struct timespec "
                   "*hd_deadline_)\n{\n  return ",
                   c, name, c);
  if (x->packed)
  {
    print_now(x, q->action, true);
    hd_string_printf(x->out,
                     "\n         || hd_controller_packed_wait(&hd_%s_how_%s, hd_c_, &hd_c_->hd_word, "
                     "&hd_c_->hd_waiting[%zu], hd_deadline_);\n}\n",
                     c, name, queue);
  }
  else
    hd_string_printf(x->out, "hd_controller_queued_wait(&hd_%s_how_%s, hd_c_, hd_deadline_);\n}\n", c, name);
  hd_string_printf(x->out, "\nHD_CC_GENERATED_FUNCTION bool\nhd_%s_try_%s(%s *hd_c_)\n{\n  return ", c, name, c);
  print_now(x, q->action, false); /* who asks again and again must not take the word away from others */
  hd_string_add(x->out, ";\n}\n");
}

static void
emit_actions(const hd_generate_emitting *x)
{
  for (size_t a = 0; a < x->c->nactions; a++)
  {
    const char *name = x->c->actions[a].name;
    if (x->p->queue_of[a] != SIZE_MAX)
    {
      emit_blocking(x, x->p->queue_of[a]);
      continue;
    }
    emit_alone(x, a);
    hd_string_printf(x->out, "\nHD_CC_GENERATED_FUNCTION bool\nhd_%s_now_%s(%s *hd_c_)\n{\n  return ", x->c->name, name,
                     x->c->name);
    print_now(x, a, true);
    hd_string_add(x->out, ";\n}\n");
  }
}

void
hd_generate_emit(hd_string *out, const hd_generate_plan *p, const hd_generate_options *o)
{
  hd_generate_emitting x = {.out = out, .p = p, .c = p->c, .o = o};
  x.fields = hd_arena_alloc(p->arena, (p->c->nvariables + 1) * sizeof *x.fields);
  x.packed = o->backend == HD_GENERATE_FUTEX && hd_generate_layout(p, x.fields, &x.keepers);
  hd_generate_emit_head(&x);
  hd_string_printf(out,
                   "#ifndef HD_GENERATED_%s\n#define HD_GENERATED_%s\n\n#ifndef HD_CONTROLLER\n"
                   "#error \"define HD_CONTROLLER_GENERATED as this file and include the controller's file\"\n#endif\n"
                   "#include <stddef.h>\n\n#include <heddle/controller_%s.h>\n",
                   p->c->name, p->c->name,
                   x.packed                            ? "packed"
                   : o->backend == HD_GENERATE_PTHREAD ? "monitor_pthread"
                                                       : "monitor_futex");
  emit_text(&x);
  emit_queues(&x);
  emit_record(&x);
  if (x.packed)
    emit_start(&x);
  emit_init(&x);
  hd_generate_emit_steps(&x);
  emit_actions(&x);
  hd_string_add(out, "\n#endif\n");
}
