/* test_writer.c: what each macro leaves in the log: kinds, objects, stamps, values, sites, misuse. */
#define _GNU_SOURCE
#include "log_events.h"

#include <heddle/heddle.h>

#include <pthread.h>
#include <setjmp.h>
#include <sys/stat.h>

#include "log/writer.h"

static hd_object o, other;

static int
begin(void **state)
{
  (void) state;
  if (!hd_start(&(hd_options){.path = test_path()}))
  {
    print_message("%s\n", hd_error());
    return -1;
  }
  hd_object_init(&o, "type", "o");
  hd_object_init(&other, "type", "other");
  return 0;
}

static int
end(void **state)
{
  (void) state;
  hd_stop();
  unlink(test_path());
  return 0;
}

static seen_log
finish(void)
{
  hd_stop();
  seen_log l = read_log(test_path());
  assert_int_equal(l.damages, 0);
  assert_true(hd_log_closed(l.log));
  assert_false(hd_log_lost(l.log));
  return l;
}

/* What is expected of an event: kind, stamp, and L (looked), T (ticked) or - (no stamp). */
typedef struct want
{
  uint8_t kind;
  char how;
  uint64_t stamp;
} want;

static void
expect(const seen_log *l, const want *w, size_t n)
{
  for (size_t i = 0; i < n && i < l->n; i++)
  {
    const hd_event *e = &l->events[i].e;
    char how = !e->stamped ? '-' : e->ticked ? 'T' : 'L';
    if (e->kind != w[i].kind || how != w[i].how || (how != '-' && e->stamp != w[i].stamp))
      fail_msg("event %zu: kind %u %c %llu, expected kind %u %c %llu", i, e->kind, how, (unsigned long long) e->stamp,
               w[i].kind, w[i].how, (unsigned long long) w[i].stamp);
  }
  assert_int_equal(l->n, n);
}
#define EXPECT(l, ...) expect(l, (const want[]){__VA_ARGS__}, sizeof((const want[]){__VA_ARGS__}) / sizeof(want))

static void
observer_and_mutator(void **state)
{
  (void) state;
  for (int i = 0; i < 2; i++) /* first out of line (registration), then inline */
  {
    HD_CALL(&o, "get", i);
    HD_RETURN(&o, i);
    HD_CALL(&o, "set", i);
    HD_COMMIT(&o);
    HD_RETURN(&o);
  }
  seen_log l = finish();
  EXPECT(&l, {HD_K_CALL, 'L', 0}, {HD_K_RETURN, 'L', 0}, {HD_K_CALL, 'L', 0}, {HD_K_COMMIT, 'T', 0},
         {HD_K_RETURN, 'L', 1}, {HD_K_CALL, 'L', 1}, {HD_K_RETURN, 'L', 1}, {HD_K_CALL, 'L', 1}, {HD_K_COMMIT, 'T', 1},
         {HD_K_RETURN, 'L', 2});
  const hd_log_site *site = hd_log_site_get(l.log, l.events[2].e.site);
  assert_string_equal(site->method, "set");
  assert_string_equal(site->function, "observer_and_mutator");
  assert_non_null(strstr(site->file, "test_writer.c"));
  assert_int_equal(l.events[0].e.site, l.events[5].e.site);
  assert_int_equal(l.events[5].v[0].i, 1);
  assert_int_equal(l.events[6].v[0].i, 1);
  const hd_log_object *object = hd_log_object_get(l.log, 1);
  assert_string_equal(object->type, "type");
  assert_string_equal(object->name, "o");
  assert_int_equal(object->ticks, 2);
  free_log(&l);
}

static void
windows(void **state)
{
  (void) state;
  HD_CALL(&o, "cas");
  HD_WINDOW(&o); /* tick 0, open 1 */
  HD_WINDOW(&o); /* tick 1, replaces it */
  HD_COMMIT(&o); /* tick 2, open 0 */
  HD_RETURN(&o);
  HD_CALL(&o, "cas");
  HD_WINDOW(&o); /* tick 3 */
  HD_RETURN(&o); /* tick 4, cancels */
  HD_CALL(&o, "get");
  HD_RETURN(&o);                 /* nothing open: looks */
  HD_CALL_NOCOMMIT(&o, "free");  /* tick 5, open 1 */
  HD_RETURN(&o);                 /* tick 6, open 0 */
  HD_CALL_NOCOMMIT(&o, "outer"); /* tick 7, open 1 */
  HD_CALL(&o, "get");            /* looks, 8 */
  HD_RETURN(&o);                 /* a window is open: tick 8 */
  HD_CALL(&o, "set");
  HD_COMMIT(&o);         /* tick 9 */
  HD_RETURN(&o);         /* committed: looks */
  HD_RETURN_EXC(&o, -3); /* tick 10 */
  seen_log l = finish();
  EXPECT(&l, {HD_K_CALL, 'L', 0}, {HD_K_WINDOW, 'T', 0}, {HD_K_WINDOW, 'T', 1}, {HD_K_COMMIT, 'T', 2},
         {HD_K_RETURN, 'L', 3}, {HD_K_CALL, 'L', 3}, {HD_K_WINDOW, 'T', 3}, {HD_K_RETURN, 'T', 4}, {HD_K_CALL, 'L', 5},
         {HD_K_RETURN, 'L', 5}, {HD_K_CALL_NOCOMMIT, 'T', 5}, {HD_K_RETURN, 'T', 6}, {HD_K_CALL_NOCOMMIT, 'T', 7},
         {HD_K_CALL, 'L', 8}, {HD_K_RETURN, 'T', 8}, {HD_K_CALL, 'L', 9}, {HD_K_COMMIT, 'T', 9}, {HD_K_RETURN, 'L', 10},
         {HD_K_RETURN_EXC, 'T', 10});
  assert_int_equal(l.events[18].v[0].i, -3);
  assert_int_equal(hd_log_object_get(l.log, 1)->ticks, 11);
  free_log(&l);
}

static void
blocks_and_writes(void **state)
{
  (void) state;
  int cell = 5;
  HD_CALL(&o, "set");
  HD_BLOCK_BEGIN(&o);
  HD_WRITE(&o, 1, 10);               /* looks 0 */
  HD_ASSIGN(&o, &cell, cell, 6);     /* looks 0 */
  HD_COMMIT(&o);                     /* tick 0 */
  HD_WRITE(&o, 2, 20);               /* looks 1 */
  HD_BLOCK_END(&o);                  /* the block has a commit: no tick */
  HD_WRITE(&o, 3, 30);               /* tick 1 */
  HD_BLOCK_BEGIN(&o);                /* a block after the commit */
  HD_BLOCK_END(&o);                  /* tick 2 */
  HD_ASSIGN_RELEASE(&o, 4, cell, 7); /* tick 3 */
  HD_RETURN(&o);
  HD_INTERNAL_BEGIN(&o, "compact");
  HD_BLOCK_BEGIN(&o);
  HD_REPLAY(&o, 9, "abc", 3);        /* looks 4 */
  HD_BLOCK_END(&o);                  /* tick 4 */
  HD_WRITE_RELEASE(&o, 5, hd_nil()); /* tick 5 */
  HD_INTERNAL_END(&o);               /* tick 6 */
  HD_WRITE(&o, 6, true);             /* outside everything: names the object, tick 7 */
  HD_REPLAY_RELEASE(&o, 9, "", 0);   /* tick 8 */
  HD_ASSIGN(&o, 7, cell, 8);         /* tick 9 */
  assert_int_equal(cell, 8);
  seen_log l = finish();
  EXPECT(&l, {HD_K_CALL, 'L', 0}, {HD_K_BLOCK_BEGIN, '-', 0}, {HD_K_WRITE, 'L', 0}, {HD_K_WRITE_OLD, 'L', 0},
         {HD_K_COMMIT, 'T', 0}, {HD_K_WRITE, 'L', 1}, {HD_K_BLOCK_END, '-', 0}, {HD_K_WRITE, 'T', 1},
         {HD_K_BLOCK_BEGIN, '-', 0}, {HD_K_BLOCK_END, 'T', 2}, {HD_K_WRITE_OLD, 'T', 3}, {HD_K_RETURN, 'L', 4},
         {HD_K_INTERNAL_BEGIN, 'L', 4}, {HD_K_BLOCK_BEGIN, '-', 0}, {HD_K_REPLAY, 'L', 4}, {HD_K_BLOCK_END, 'T', 4},
         {HD_K_WRITE, 'T', 5}, {HD_K_INTERNAL_END, 'T', 6}, {HD_K_FREE_WRITE, 'T', 7}, {HD_K_FREE_REPLAY, 'T', 8},
         {HD_K_FREE_WRITE_OLD, 'T', 9});
  assert_true(l.events[3].v[0].u == (uint64_t) (uintptr_t) &cell);
  assert_int_equal(l.events[3].v[1].i, 6);
  assert_int_equal(l.events[3].v[2].i, 5);
  assert_int_equal(l.events[10].v[1].i, 7);
  assert_int_equal(l.events[10].v[2].i, 6);
  assert_string_equal(l.events[14].text[1], "abc");
  assert_int_equal(l.events[14].v[1].length, 3);
  assert_int_equal(l.events[16].v[1].type, HD_NIL);
  assert_int_equal(l.events[19].v[1].length, 0);
  assert_string_equal(hd_log_site_get(l.log, l.events[12].e.site)->method, "compact");
  free_log(&l);
}

static void
values(void **state)
{
  (void) state;
  char *text = strdup("hello, world");
  const char *empty = NULL;
  unsigned char small = 200;
  HD_CALL(&o, "ints", (signed char) -1, (short) -2, -3, -4L, -5LL, small, (unsigned short) 65535);
  HD_RETURN(&o, UINT64_MAX);
  HD_CALL(&o, "text", text, empty, "", 'x', (bool) true, hd_bytes("\0\1\2", 3), hd_nil());
  HD_COMMIT_RET(&o, text);
  HD_RETURN(&o, hd_str("dynamic"));
  HD_CALL(&o, "more", hd_int(-7), hd_uint(7), hd_bool(true), 1u, 2UL, 3ULL);
  HD_COMMIT_EXC(&o, hd_int(-1));
  HD_RETURN_EXC(&o, INT64_MIN);
  HD_CALL(&o, "bad", (hd_value){.type = 99});
  HD_RETURN(&o);
  free(text);
  seen_log l = finish();
  const seen *s = l.events;
  for (int i = 0; i < 5; i++)
  {
    assert_int_equal(s[0].v[i].type, HD_INT);
    assert_int_equal(s[0].v[i].i, -1 - i);
  }
  assert_int_equal(s[0].v[5].type, HD_UINT);
  assert_int_equal(s[0].v[5].u, 200);
  assert_int_equal(s[0].v[6].u, 65535);
  assert_true(s[1].v[0].u == UINT64_MAX);
  assert_string_equal(s[2].text[0], "hello, world");
  assert_int_equal(s[2].v[0].type, HD_STR);
  assert_int_equal(s[2].v[1].length, 0);
  assert_int_equal(s[2].v[2].length, 0);
  assert_int_equal(s[2].v[3].i, 'x');
  assert_int_equal(s[2].v[4].type, HD_BOOL);
  assert_int_equal(s[2].v[4].u, 1);
  assert_int_equal(s[2].v[5].type, HD_BYTES);
  assert_int_equal(s[2].v[5].length, 3);
  assert_memory_equal(s[2].text[5], "\0\1\2", 3);
  assert_int_equal(s[2].v[6].type, HD_NIL);
  assert_int_equal(s[3].e.kind, HD_K_COMMIT_RET);
  assert_string_equal(s[3].text[0], "hello, world");
  assert_string_equal(s[4].text[0], "dynamic");
  assert_int_equal(s[5].v[0].i, -7);
  assert_int_equal(s[5].v[2].type, HD_BOOL);
  assert_int_equal(s[6].e.kind, HD_K_COMMIT_EXC);
  assert_true(s[7].v[0].i == INT64_MIN);
  assert_int_equal(s[8].v[0].type, HD_NIL);
  assert_int_equal(l.n, 10);
  free_log(&l);
}

/* Records larger than a chunk, and one that no chunk can hold. */
static void
large_values(void **state)
{
  (void) state;
  size_t size = 3u << 20;
  char *big = malloc(size);
  assert_non_null(big);
  memset(big, 'b', size);
  for (int i = 0; i < 5; i++)
  {
    HD_CALL(&o, "big", hd_bytes(big, size - (size_t) i), i);
    HD_RETURN(&o, i);
    HD_CALL(&o, "medium", hd_bytes(big, 70000 + (size_t) i));
    HD_RETURN(&o);
  }
  free(big);
  seen_log l = finish();
  assert_int_equal(l.n, 20);
  for (size_t i = 0; i < 5; i++)
  {
    assert_int_equal(l.events[4 * i].v[0].length, size - i);
    assert_int_equal(l.events[4 * i].v[1].i, i);
    assert_int_equal(l.events[4 * i + 2].v[0].length, 70000 + i);
  }
  free_log(&l);
}

static void
too_large_value(void **state)
{
  (void) state;
  size_t size = 5u << 20;
  char *big = calloc(1, size);
  assert_non_null(big);
  HD_CALL(&other, "outer");
  HD_CALL(&o, "dropped", hd_bytes(big, size));
  HD_COMMIT(&o);
  HD_RETURN(&o);
  HD_CALL(&o, "half");
  HD_RETURN(&o, hd_bytes(big, size)); /* the call is in the log, the return is not */
  HD_COMMIT(&other);                  /* must not be taken for a commit of "half" */
  HD_RETURN(&other);
  free(big);
  hd_stop();
  seen_log l = read_log(test_path());
  assert_int_equal(l.damages, 0);
  EXPECT(&l, {HD_K_CALL, 'L', 0}, {HD_K_CALL, 'L', 0}, {HD_K_ABANDON, '-', 0}, {HD_K_COMMIT, 'T', 0},
         {HD_K_RETURN, 'L', 1});
  assert_int_equal(l.events[3].e.object, 2);
  assert_int_equal(hd_log_dropped(l.log), 2);
  assert_int_equal(hd_log_object_get(l.log, 1)->dropped, 2);
  assert_int_equal(hd_log_object_get(l.log, 1)->lost_at, 1);
  assert_int_equal(hd_log_object_get(l.log, 1)->ticks, 0);
  assert_int_equal(hd_log_object_get(l.log, 2)->lost_at, 0);
  free_log(&l);
}

static void
conditional_commit(void **state)
{
  (void) state;
  int evaluated = 0;
  for (int i = 0; i < 4; i++)
  {
    HD_CALL(&o, "maybe", i);
    HD_COMMIT_IF((evaluated++, i % 2), &o);
    HD_RETURN(&o);
  }
  assert_int_equal(evaluated, 4);
  seen_log l = finish();
  EXPECT(&l, {HD_K_CALL, 'L', 0}, {HD_K_RETURN, 'L', 0}, {HD_K_CALL, 'L', 0}, {HD_K_COMMIT, 'T', 0},
         {HD_K_RETURN, 'L', 1}, {HD_K_CALL, 'L', 1}, {HD_K_RETURN, 'L', 1}, {HD_K_CALL, 'L', 1}, {HD_K_COMMIT, 'T', 1},
         {HD_K_RETURN, 'L', 2});
  free_log(&l);
}

static void
recursion(int depth)
{
  hd_object *object = depth % 3 == 0 ? &other : &o;
  HD_CALL(object, "nest", depth);
  if (depth < HD_MAX_DEPTH)
    recursion(depth + 1);
  HD_COMMIT(object);
  HD_RETURN(object, depth);
}

static void
nesting(void **state)
{
  (void) state;
  recursion(1);
  seen_log l = finish();
  assert_int_equal(l.n, 3 * HD_MAX_DEPTH);
  uint64_t ticks[3] = {0};
  for (uint64_t i = 0; i < HD_MAX_DEPTH; i++)
  {
    const seen *call = &l.events[i], *commit = &l.events[HD_MAX_DEPTH + 2 * i];
    uint32_t object = (i + 1) % 3 == 0 ? 2 : 1, inner = (HD_MAX_DEPTH - i) % 3 == 0 ? 2 : 1;
    assert_int_equal(call->e.object, object);
    assert_int_equal(call->v[0].i, i + 1);
    assert_int_equal(commit->e.object, inner);
    assert_int_equal(commit->e.stamp, ticks[inner]++);
    assert_int_equal(commit[1].e.object, inner);
    assert_int_equal(commit[1].v[0].i, HD_MAX_DEPTH - i);
  }
  free_log(&l);
}

static void
too_deep_inner(int depth)
{
  HD_CALL(&o, "nest", depth);
  if (depth < HD_MAX_DEPTH + 3)
    too_deep_inner(depth + 1);
  HD_COMMIT(&o);
  HD_RETURN(&o, depth);
}

static void
too_deep(void **state)
{
  (void) state;
  too_deep_inner(1);
  HD_CALL(&o, "after");
  HD_RETURN(&o);
  seen_log l = finish();
  assert_int_equal(l.n, 3 * HD_MAX_DEPTH + 1 + 2);
  assert_int_equal(l.events[HD_MAX_DEPTH].e.kind, HD_K_MISUSE);
  assert_int_equal(l.events[HD_MAX_DEPTH].v[0].u, HD_MISUSE_TOO_DEEP);
  assert_int_equal(l.events[HD_MAX_DEPTH + 2].v[0].i, HD_MAX_DEPTH);
  assert_int_equal(l.events[l.n - 2].e.kind, HD_K_CALL);
  free_log(&l);
}

static void
misuse(void **state)
{
  (void) state;
  HD_RETURN(&o);      /* no operation */
  HD_COMMIT(&o);      /* no operation */
  HD_BLOCK_BEGIN(&o); /* no operation */
  HD_INTERNAL_END(&o);
  HD_CALL(&o, "f");
  HD_COMMIT(&other); /* other object */
  HD_BLOCK_END(&o);  /* no block */
  HD_BLOCK_BEGIN(&o);
  HD_BLOCK_BEGIN(&o); /* nested block */
  HD_CALL(&other, "g");
  HD_WRITE(&o, 1, 1); /* belongs to a block that is not innermost */
  HD_RETURN(&other);
  HD_COMMIT(&o);
  HD_COMMIT(&o); /* second */
  HD_WINDOW(&o); /* after commit */
  HD_INTERNAL_END(&o);
  HD_RETURN(&o); /* in a block: the block ends, the return counts */
  HD_CALL_NOCOMMIT(&o, "h");
  HD_WINDOW(&o);
  HD_COMMIT(&o);
  HD_RETURN(&o);
  HD_INTERNAL_BEGIN(&o, "task");
  HD_COMMIT(&o);
  HD_RETURN(&o);
  HD_INTERNAL_END(&o);
  seen_log l = finish();
  static const struct
  {
    uint8_t kind, what;
  } wanted[] = {{HD_K_MISUSE, HD_MISUSE_OTHER_OBJECT},
                {HD_K_MISUSE, HD_MISUSE_OTHER_OBJECT},
                {HD_K_MISUSE, HD_MISUSE_OTHER_OBJECT},
                {HD_K_MISUSE, HD_MISUSE_OTHER_OBJECT},
                {HD_K_CALL, 0},
                {HD_K_MISUSE, HD_MISUSE_OTHER_OBJECT},
                {HD_K_MISUSE, HD_MISUSE_NO_BLOCK},
                {HD_K_BLOCK_BEGIN, 0},
                {HD_K_MISUSE, HD_MISUSE_NESTED_BLOCK},
                {HD_K_CALL, 0},
                {HD_K_MISUSE, HD_MISUSE_OTHER_OBJECT},
                {HD_K_RETURN, 0},
                {HD_K_COMMIT, 0},
                {HD_K_MISUSE, HD_MISUSE_SECOND_COMMIT},
                {HD_K_MISUSE, HD_MISUSE_WINDOW_AFTER_COMMIT},
                {HD_K_MISUSE, HD_MISUSE_INTERNAL},
                {HD_K_MISUSE, HD_MISUSE_OPEN_BLOCK},
                {HD_K_RETURN, 0},
                {HD_K_CALL_NOCOMMIT, 0},
                {HD_K_MISUSE, HD_MISUSE_NOCOMMIT},
                {HD_K_MISUSE, HD_MISUSE_NOCOMMIT},
                {HD_K_RETURN, 0},
                {HD_K_INTERNAL_BEGIN, 0},
                {HD_K_MISUSE, HD_MISUSE_INTERNAL},
                {HD_K_MISUSE, HD_MISUSE_INTERNAL},
                {HD_K_INTERNAL_END, 0}};
  assert_int_equal(l.n, sizeof wanted / sizeof wanted[0]);
  for (size_t i = 0; i < l.n; i++)
  {
    const seen *s = &l.events[i];
    if (s->e.kind != wanted[i].kind || (wanted[i].what && s->v[0].u != wanted[i].what))
      fail_msg("event %zu: kind %u, %llu", i, s->e.kind, (unsigned long long) s->v[0].u);
    if (wanted[i].what)
      assert_true(hd_log_site_get(l.log, s->e.site)->line > 0);
  }
  assert_int_equal(l.events[5].e.object, 2);
  free_log(&l);
}

static void
guarded(int leave)
{
  HD_CALL(&o, "guarded", leave);
  HD_GUARD(&o);
  HD_CALL(&other, "inner");
  if (leave == 0)
    return; /* both are abandoned */
  HD_RETURN(&other);
  if (leave == 1)
    return; /* the outer one is abandoned */
  HD_RETURN(&o);
}

static void
abandon(void **state)
{
  (void) state;
  jmp_buf out;
  for (int i = 0; i < 3; i++)
    guarded(i);
  if (setjmp(out) == 0)
  {
    HD_CALL(&o, "jump");
    longjmp(out, 1);
  }
  HD_ABANDON(&o);
  HD_ABANDON(&o); /* nothing is open */
  seen_log l = finish();
  EXPECT(&l, {HD_K_CALL, 'L', 0}, {HD_K_CALL, 'L', 0}, {HD_K_ABANDON, '-', 0}, {HD_K_ABANDON, '-', 0},
         {HD_K_CALL, 'L', 0}, {HD_K_CALL, 'L', 0}, {HD_K_RETURN, 'L', 0}, {HD_K_ABANDON, '-', 0}, {HD_K_CALL, 'L', 0},
         {HD_K_CALL, 'L', 0}, {HD_K_RETURN, 'L', 0}, {HD_K_RETURN, 'L', 0}, {HD_K_CALL, 'L', 0}, {HD_K_ABANDON, '-', 0},
         {HD_K_MISUSE, '-', 0});
  assert_int_equal(l.events[2].e.object, 2);
  assert_int_equal(l.events[3].e.object, 1);
  free_log(&l);
}

static void
objects(void **state)
{
  (void) state;
  hd_object many[3000] = {0}, never = {0};
  hd_value config[] = {hd_int(64), hd_str("hash"), hd_nil()};
  hd_object_init_config(&many[0], "map", "configured", config, 3);
  for (int i = 1; i < 3000; i++)
    hd_object_init(&many[i], "map", "m");
  HD_CALL(&many[0], "f");
  HD_CALL(&many[2999], "g");
  hd_object_destroy(&many[2999]); /* its open operation is abandoned */
  HD_CALL(&many[2999], "h");      /* not logged any more */
  HD_RETURN(&many[2999]);
  HD_CALL(&never, "never");
  HD_COMMIT(&never);
  HD_RETURN(&never);
  HD_RETURN(&many[0]);
  seen_log l = finish();
  EXPECT(&l, {HD_K_CALL, 'L', 0}, {HD_K_CALL, 'L', 0}, {HD_K_ABANDON, '-', 0}, {HD_K_OBJECT_END, 'T', 0},
         {HD_K_RETURN, 'L', 0});
  assert_int_equal(hd_log_objects(l.log), 3002);
  const hd_log_object *c = hd_log_object_get(l.log, 3);
  assert_int_equal(c->nconfig, 3);
  assert_int_equal(c->config[0].i, 64);
  assert_int_equal(c->config[1].length, 4);
  assert_memory_equal(c->config[1].s, "hash", 4);
  assert_int_equal(c->config[2].type, HD_NIL);
  assert_int_equal(hd_log_object_get(l.log, 3002)->ticks, 1);
  free_log(&l);
}

static void
pause_and_restart(void **state)
{
  (void) state;
  HD_CALL(&o, "seen");
  HD_RETURN(&o);
  hd_pause();
  hd_pause();
  HD_CALL(&o, "unseen");
  hd_resume();
  HD_RETURN(&o);
  hd_resume();
  hd_resume(); /* once too often does nothing */
  HD_CALL(&o, "seen");
  assert_null(hd_error());
  assert_false(hd_start(&(hd_options){.path = "/tmp/never"}));
  hd_stop();
  assert_non_null(hd_error());
  HD_RETURN(&o); /* after the end: nothing */
  HD_COMMIT(&o);
  seen_log l = read_log(test_path());
  EXPECT(&l, {HD_K_CALL, 'L', 0}, {HD_K_RETURN, 'L', 0}, {HD_K_CALL, 'L', 0});
  free_log(&l);

  /* A second log: old objects are not in it, sites are. */
  hd_object fresh;
  assert_true(hd_start(&(hd_options){.path = test_path()}));
  hd_object_init(&fresh, "type", "fresh");
  HD_CALL(&o, "old object");
  HD_RETURN(&o);
  HD_CALL(&fresh, "new object");
  HD_COMMIT(&fresh);
  HD_RETURN(&fresh);
  l = finish();
  EXPECT(&l, {HD_K_CALL, 'L', 0}, {HD_K_COMMIT, 'T', 0}, {HD_K_RETURN, 'L', 1});
  assert_int_equal(l.events[0].e.thread, 1);
  assert_string_equal(hd_log_object_get(l.log, 1)->name, "fresh");
  assert_string_equal(hd_log_site_get(l.log, l.events[0].e.site)->method, "new object");
  free_log(&l);
}

/* Clocks beyond 2^31: the short form ends at HD_STAMP_MAX_SHORT, the inline one before. */
static void
long_stamps(void **state)
{
  (void) state;
  static const uint64_t firsts[] = {HD_FAST_MAX - 3, HD_STAMP_MAX_SHORT - 3, 0xfffffffdull, (1ull << 40) - 3};
  for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++)
  {
    uint64_t first = firsts[f];
    hd_writer_first_tick = first;
    hd_object x;
    hd_object_init(&x, "type", "x");
    hd_writer_first_tick = 0;
    for (int i = 0; i < 10; i++)
    {
      HD_CALL(&x, "set", i);
      HD_COMMIT(&x);
      HD_RETURN(&x, i);
    }
    HD_CALL(&x, "cas");
    HD_WINDOW(&x);
    HD_COMMIT(&x);
    HD_RETURN(&x);
  }
  seen_log l = finish();
  assert_int_equal(l.n, 4 * 34);
  for (size_t f = 0; f < 4; f++)
    for (size_t i = 0; i < 10; i++)
    {
      const seen *s = &l.events[f * 34 + 3 * i];
      assert_true(s[0].e.stamp == firsts[f] + i && !s[0].e.ticked && s[0].v[0].i == (int64_t) i);
      assert_true(s[1].e.stamp == firsts[f] + i && s[1].e.ticked);
      assert_true(s[2].e.stamp == firsts[f] + i + 1 && !s[2].e.ticked && s[2].v[0].i == (int64_t) i);
    }
  assert_true(l.events[33].e.stamp == firsts[0] + 12 && l.events[31].e.ticked && l.events[32].e.ticked);
  assert_true(hd_log_object_get(l.log, 3)->first == firsts[0]);
  free_log(&l);
}

/* Long stamps at every place of a chunk, also at its end. */
static void
long_stamps_fill_chunks(void **state)
{
  (void) state;
  hd_writer_first_tick = HD_STAMP_MAX_SHORT - 5000;
  hd_object x;
  hd_object_init(&x, "type", "x");
  uint64_t first = hd_writer_first_tick;
  hd_writer_first_tick = 0;
  enum
  {
    N = 60000
  };
  for (int i = 0; i < N; i++)
  {
    if (i % 5 == 0)
      HD_CALL(&x, "odd", "text");
    else
      HD_CALL(&x, "set", i);
    HD_COMMIT(&x);
    HD_RETURN(&x);
  }
  seen_log l = finish();
  assert_int_equal(l.n, 3 * N);
  for (size_t i = 0; i < N; i++)
    assert_true(l.events[3 * i + 1].e.stamp == first + i);
  free_log(&l);
}

static void
file_of_the_log(void **state)
{
  (void) state;
  struct stat st;
  assert_int_equal(stat(test_path(), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  hd_stop();
  assert_int_equal(stat(test_path(), &st), 0);
  assert_int_equal(st.st_size % HD_LOG_UNIT, 0);
  assert_true(st.st_size < 16 * HD_LOG_UNIT);

  /* Something that is not a log is left alone; names are expanded; the directory must exist. */
  FILE *f = fopen(test_path(), "w");
  fputs("precious data", f);
  fclose(f);
  assert_false(hd_start(&(hd_options){.path = test_path()}));
  assert_non_null(strstr(hd_error(), "not a Heddle log"));
  assert_int_equal(stat(test_path(), &st), 0);
  assert_int_equal(st.st_size, 13);
  assert_false(hd_start(&(hd_options){.path = "/nowhere/at/all.hlog"}));
  assert_false(hd_start(&(hd_options){.path = ""}));
  assert_false(hd_start(&(hd_options){0}));
  assert_false(hd_start(&(hd_options){.path = "/tmp"}));
  unlink(test_path());
  char name[128], real[128];
  snprintf(name, sizeof name, "/tmp/heddle-%%p-%%%%.hlog");
  snprintf(real, sizeof real, "/tmp/heddle-%d-%%.hlog", (int) getpid());
  assert_true(hd_start(&(hd_options){.path = name}));
  hd_stop();
  assert_int_equal(stat(real, &st), 0);
  unlink(real);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(observer_and_mutator, begin, end),
      cmocka_unit_test_setup_teardown(windows, begin, end),
      cmocka_unit_test_setup_teardown(blocks_and_writes, begin, end),
      cmocka_unit_test_setup_teardown(values, begin, end),
      cmocka_unit_test_setup_teardown(large_values, begin, end),
      cmocka_unit_test_setup_teardown(too_large_value, begin, end),
      cmocka_unit_test_setup_teardown(conditional_commit, begin, end),
      cmocka_unit_test_setup_teardown(nesting, begin, end),
      cmocka_unit_test_setup_teardown(too_deep, begin, end),
      cmocka_unit_test_setup_teardown(misuse, begin, end),
      cmocka_unit_test_setup_teardown(abandon, begin, end),
      cmocka_unit_test_setup_teardown(objects, begin, end),
      cmocka_unit_test_setup_teardown(pause_and_restart, begin, end),
      cmocka_unit_test_setup_teardown(long_stamps, begin, end),
      cmocka_unit_test_setup_teardown(long_stamps_fill_chunks, begin, end),
      cmocka_unit_test_setup_teardown(file_of_the_log, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
