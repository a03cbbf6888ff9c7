/* blocks.c: basic blocks from structured code.
 *
 * The labels are the reference's, since traces print them: blocks without a label are anonN, numbered in the order of
 * the text; then each if and while, in the order in which blocks are made, takes the next number for anonN_Then,
 * anonN_Else, anonN_LoopHead, anonN_LoopBody and anonN_LoopDone. A prefix that no label of the program has is found by
 * appending digits to "anon". */
#include <string.h>

#include "boogie/front.h"

/* The statements around a list, innermost first. */
typedef struct context
{
  const struct context *outer;
  const hd_boogie_big_block *block; /* the if or while */
  const char *after;                /* where it goes on, or null: return */
} context;

typedef struct lowering
{
  hd_boogie_parser *parser;
  hd_boogie_impl *impl;
  hd_boogie_table *labels;
  hd_string prefix;
  unsigned next;
  size_t errors;
} lowering;

static void
label_error(lowering *l, hd_boogie_place at, const char *format, const char *label)
{
  hd_string text = {0};
  hd_string_printf(&text, "Error: ");
  hd_string_printf(&text, format, label);
  hd_boogie_parse_error(l->parser, at, "%s", text.text);
  hd_string_free(&text);
  l->errors++;
}

static void
collect_labels(lowering *l, const hd_boogie_stmts *stmts)
{
  for (size_t i = 0; i < stmts->blocks.n; i++)
  {
    hd_boogie_big_block *b = stmts->blocks.items[i];
    if (b->label)
      hd_boogie_table_set(l->labels, b->label, strlen(b->label), b);
    for (const hd_boogie_structured *s = b->structured; s; s = s->else_if)
    {
      if (s->body)
        collect_labels(l, s->body);
      if (s->else_body)
        collect_labels(l, s->else_body);
    }
  }
}

/* Whether S leaves a statement around it. */
static void
check_break(lowering *l, const hd_boogie_structured *s, const context *around)
{
  for (; around; around = around->outer)
  {
    const hd_boogie_big_block *b = around->block;
    if (!s->label && b->structured->kind == HD_BOOGIE_WHILE)
      return;
    if (s->label && b->label && !strcmp(s->label, b->label))
    {
      if (b->cmds.n) /* the label stands at a command before the statement */
        label_error(l, s->at, "break label '%s' must designate an enclosing statement", s->label);
      return;
    }
  }
  label_error(l, s->at,
              s->label ? "break label '%s' must designate an enclosing statement"
                       : "break statement is not inside a loop%s",
              s->label ? s->label : "");
}

static void
avoid_label(lowering *l, const char *label)
{
  size_t n = l->prefix.length;
  if (!strncmp(label, l->prefix.text, n))
    hd_string_add(&l->prefix, label[n] == '0' ? "1" : "0");
}

static void
check_labels(lowering *l, const hd_boogie_stmts *stmts, const context *around)
{
  for (size_t i = 0; i < stmts->blocks.n; i++)
    if (stmts->blocks.items[i]->label)
      avoid_label(l, stmts->blocks.items[i]->label);
  for (size_t i = 0; i < stmts->blocks.n; i++)
  {
    const hd_boogie_big_block *b = stmts->blocks.items[i];
    const hd_boogie_transfer *t = b->transfer;
    for (size_t j = 0; t && j < t->labels.n; j++)
      if (!hd_boogie_table_get(l->labels, t->labels.items[j], strlen(t->labels.items[j])))
        label_error(l, t->at, "goto label '%s' is undefined", t->labels.items[j]);
    if (b->structured && b->structured->kind == HD_BOOGIE_BREAK)
      check_break(l, b->structured, around);
    context inner = {.outer = around, .block = b};
    for (const hd_boogie_structured *s = b->structured; s; s = s->else_if)
    {
      if (s->body)
        check_labels(l, s->body, &inner);
      if (s->else_body)
        check_labels(l, s->else_body, &inner);
    }
  }
}

static void
name_blocks(lowering *l, const hd_boogie_stmts *stmts)
{
  for (size_t i = 0; i < stmts->blocks.n; i++)
  {
    hd_boogie_big_block *b = stmts->blocks.items[i];
    if (!b->label)
    {
      b->anonymous = true;
      b->label = hd_boogie_text(l->parser->program, "%s%u", l->prefix.text, l->next++);
    }
    for (const hd_boogie_structured *s = b->structured; s; s = s->else_if)
    {
      if (s->body)
        name_blocks(l, s->body);
      if (s->else_body)
        name_blocks(l, s->else_body);
    }
  }
}

/* ---- making blocks ---- */
/* Append a block; it goes to LABELS (null ones are left out), or without any returns. */
static void
add_block(lowering *l, hd_boogie_place at, const char *label, hd_boogie_cmds cmds, hd_boogie_place transfer_at,
          const char *first, const char *second)
{
  hd_boogie_program *p = l->parser->program;
  hd_boogie_block *b = hd_boogie_new_block(p, at, label);
  b->cmds = cmds;
  b->transfer.at = transfer_at;
  b->transfer.kind = first || second ? HD_BOOGIE_GOTO : HD_BOOGIE_RETURN;
  if (first)
    HD_BOOGIE_ADD(p, b->transfer.labels, first);
  if (second)
    HD_BOOGIE_ADD(p, b->transfer.labels, second);
  HD_BOOGIE_ADD(p, l->impl->blocks, b);
}

/* Not E, without a double negation, and with the opposite relation where there is one. It has no place of its own. */
static hd_boogie_expr *
negation(hd_boogie_program *p, hd_boogie_expr *e)
{
  static const struct
  {
    hd_boogie_expr_kind kind, opposite;
    bool swapped; /* not a < b is b <= a */
  } relations[] = {
      {HD_BOOGIE_EQ, HD_BOOGIE_NEQ, false}, {HD_BOOGIE_NEQ, HD_BOOGIE_EQ, false}, {HD_BOOGIE_LT, HD_BOOGIE_LE, true},
      {HD_BOOGIE_LE, HD_BOOGIE_LT, true},   {HD_BOOGIE_GE, HD_BOOGIE_GT, true},   {HD_BOOGIE_GT, HD_BOOGIE_GE, true},
  };
  if (e->kind == HD_BOOGIE_NOT)
    return e->args.items[0];
  hd_boogie_place nowhere = {.file = ""};
  for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
    if (e->kind == relations[i].kind)
    {
      hd_boogie_expr *n = hd_boogie_new_expr(p, relations[i].opposite, nowhere);
      hd_boogie_add_arg(p, n, e->args.items[relations[i].swapped]);
      hd_boogie_add_arg(p, n, e->args.items[!relations[i].swapped]);
      return n;
    }
  hd_boogie_expr *n = hd_boogie_new_expr(p, HD_BOOGIE_NOT, nowhere);
  hd_boogie_add_arg(p, n, e);
  return n;
}

/* assume {:partition} GUARD or its negation; no guard, no command. */
static hd_boogie_cmds
assume_guard(lowering *l, const hd_boogie_structured *s, bool holds)
{
  hd_boogie_program *p = l->parser->program;
  hd_boogie_cmds cmds = {0};
  if (s->guard)
  {
    hd_boogie_cmd *c = hd_boogie_new_cmd(p, HD_BOOGIE_ASSUME, s->at);
    c->attrs = hd_boogie_attr_add(p, NULL, "partition");
    c->attrs->at = s->at;
    c->expr = s->guard;
    if (!holds)
    {
      c->expr = negation(p, s->guard);
      hd_boogie_check_depth(l->parser, c->expr);
    }
    HD_BOOGIE_ADD(p, cmds, c);
  }
  return cmds;
}

/* The code of a branch or loop body begins with CMDS. If its first block may, it takes them and the name *LABEL (or,
 * when there is nothing to take, keeps its own, which *LABEL becomes). False: a block of its own is needed for them. */
static bool
prefix_first(const hd_boogie_stmts *stmts, const hd_boogie_cmds *cmds, const char **label)
{
  hd_boogie_big_block *first = stmts->blocks.items[0];
  if (first->anonymous)
  {
    first->label = *label;
    return true;
  }
  if (cmds->n)
    return false;
  *label = first->label;
  return true;
}

static void make(lowering *l, const hd_boogie_stmts *stmts, const hd_boogie_cmds *prefix, const char *after,
                 const context *around);

static void
make_while(lowering *l, const hd_boogie_big_block *b, hd_boogie_cmds cmds, const context *here)
{
  hd_boogie_program *p = l->parser->program;
  const hd_boogie_structured *s = b->structured;
  unsigned number = l->next++;
  const char *head = hd_boogie_text(p, "%s%u_LoopHead", l->prefix.text, number);
  const char *body = hd_boogie_text(p, "%s%u_LoopBody", l->prefix.text, number);
  const char *done = hd_boogie_text(p, "%s%u_LoopDone", l->prefix.text, number);
  hd_boogie_cmds enter = assume_guard(l, s, true), leave = assume_guard(l, s, false);
  bool taken = prefix_first(s->body, &enter, &body);
  add_block(l, b->at, b->label, cmds, s->at, head, NULL);
  hd_boogie_cmds invariants = {0};
  for (size_t i = 0; i < s->invariants.n; i++)
    HD_BOOGIE_ADD(p, invariants, s->invariants.items[i]);
  add_block(l, s->at, head, invariants, s->at, done, body);
  if (!taken)
    add_block(l, s->at, body, enter, s->at, s->body->blocks.items[0]->label, NULL);
  make(l, s->body, taken ? &enter : NULL, head, here);
  add_block(l, s->at, done, leave, s->at, here->after, NULL);
}

static void
make_if(lowering *l, const hd_boogie_big_block *b, hd_boogie_cmds cmds, const context *here)
{
  hd_boogie_program *p = l->parser->program;
  const char *label = b->label;
  for (const hd_boogie_structured *s = b->structured; s; s = s->else_if)
  {
    unsigned number = l->next++;
    const char *then = hd_boogie_text(p, "%s%u_Then", l->prefix.text, number);
    const char *other = hd_boogie_text(p, "%s%u_Else", l->prefix.text, number);
    hd_boogie_cmds holds = assume_guard(l, s, true), fails = assume_guard(l, s, false);
    bool then_taken = prefix_first(s->body, &holds, &then);
    bool else_taken = s->else_body && prefix_first(s->else_body, &fails, &other);
    add_block(l, b->at, label, cmds, s->at, then, other);
    if (!then_taken)
      add_block(l, s->at, then, holds, s->at, s->body->blocks.items[0]->label, NULL);
    make(l, s->body, then_taken ? &holds : NULL, here->after, here);
    if (s->else_body)
    {
      if (!else_taken)
        add_block(l, s->at, other, fails, s->at, s->else_body->blocks.items[0]->label, NULL);
      make(l, s->else_body, else_taken ? &fails : NULL, here->after, here);
    }
    else if (!s->else_if)
      add_block(l, s->at, other, fails, s->at, here->after, NULL);
    label = other;
    cmds = fails;
  }
}

/* Where a break goes on. */
static const char *
break_target(const hd_boogie_structured *s, const context *around)
{
  for (;; around = around->outer)
    if (s->label ? !strcmp(s->label, around->block->label) : around->block->structured->kind == HD_BOOGIE_WHILE)
      return around->after;
}

/* The blocks of STMTS, the first one with PREFIX before its commands; then it goes on at AFTER. */
static void
make(lowering *l, const hd_boogie_stmts *stmts, const hd_boogie_cmds *prefix, const char *after, const context *around)
{
  hd_boogie_program *p = l->parser->program;
  for (size_t i = 0; i < stmts->blocks.n; i++)
  {
    const hd_boogie_big_block *b = stmts->blocks.items[i];
    context here
        = {.outer = around, .block = b, .after = i + 1 < stmts->blocks.n ? stmts->blocks.items[i + 1]->label : after};
    hd_boogie_cmds cmds = {0};
    for (size_t j = 0; prefix && !i && j < prefix->n; j++)
      HD_BOOGIE_ADD(p, cmds, prefix->items[j]);
    for (size_t j = 0; j < b->cmds.n; j++)
      HD_BOOGIE_ADD(p, cmds, b->cmds.items[j]);
    const hd_boogie_structured *s = b->structured;
    if (b->transfer)
    {
      add_block(l, b->at, b->label, cmds, b->transfer->at, NULL, NULL);
      l->impl->blocks.items[l->impl->blocks.n - 1]->transfer = *b->transfer;
    }
    else if (!s)
      add_block(l, b->at, b->label, cmds, stmts->end, here.after, NULL);
    else if (s->kind == HD_BOOGIE_BREAK)
      add_block(l, b->at, b->label, cmds, s->at, break_target(s, around), NULL);
    else if (s->kind == HD_BOOGIE_WHILE)
      make_while(l, b, cmds, &here);
    else
      make_if(l, b, cmds, &here);
  }
}

void
hd_boogie_make_blocks(hd_boogie_parser *p, hd_boogie_impl *impl)
{
  lowering l = {.parser = p, .impl = impl, .labels = hd_boogie_table_new()};
  hd_string_add(&l.prefix, "anon");
  collect_labels(&l, impl->structured);
  check_labels(&l, impl->structured, NULL);
  name_blocks(&l, impl->structured);
  if (!l.errors)
    make(&l, impl->structured, NULL, NULL, NULL);
  hd_boogie_table_free(l.labels);
  hd_string_free(&l.prefix);
}
