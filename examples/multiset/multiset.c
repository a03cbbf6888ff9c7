/* multiset.c: the array multiset of the VYRD paper (Figs. 2, 4 and 5), annotated for Heddle.
 *
 * A slot is free (elt == EMPTY), reserved (elt is set, valid is not) or full (valid). A slot is reserved under its
 * lock; from then on only the thread that reserved it changes it, until it is full. An element is in the multiset
 * while its slot is full.
 *
 * Scans go from the highest slot to the lowest, because compress moves elements down: a scan that went up could be
 * passed by an element and miss it.
 *
 * The annotations (HD_...) say when an operation is called and returns, where it takes effect, and what it writes.
 * With -DHEDDLE_OFF they are nothing. */
#include "multiset.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <heddle/heddle.h>

enum
{
  EMPTY = 0
};

typedef struct slot
{
  pthread_mutex_t lock;
  _Atomic int elt; /* atomic: a reserved slot is given back without its lock */
  bool valid;
} slot;

struct multiset
{
  hd_object object;
  multiset_options options;
  int n;
  slot slots[];
};

/* What the log calls the two fields of slot I. */
#define ELT(i) (2 * (i))
#define VALID(i) (2 * (i) + 1)

multiset *
multiset_new(multiset_options options)
{
  size_t n = options.slots > 0 ? (size_t) options.slots : 0;
  multiset *m = calloc(1, sizeof *m + n * sizeof *m->slots);
  if (!m)
    return NULL;
  m->options = options;
  m->n = (int) n;
  for (int i = 0; i < m->n; i++)
    pthread_mutex_init(&m->slots[i].lock, NULL);
  hd_value config[] = {hd_int(m->n)};
  hd_object_init_config(&m->object, "multiset", "M", config, 1);
  return m;
}

void
multiset_free(multiset *m)
{
  hd_object_destroy(&m->object);
  for (int i = 0; i < m->n; i++)
    pthread_mutex_destroy(&m->slots[i].lock);
  free(m);
}

/* ---- slots ---- */

static void
lock(multiset *m, int i)
{
  if (m->options.yield)
    sched_yield();
  pthread_mutex_lock(&m->slots[i].lock);
}

static void
unlock(multiset *m, int i)
{
  pthread_mutex_unlock(&m->slots[i].lock);
}

/* Always the lower one first, so that nobody waits in a circle. */
static void
lock_two(multiset *m, int i, int j)
{
  lock(m, i < j ? i : j);
  if (i != j)
    lock(m, i < j ? j : i);
}

static void
unlock_two(multiset *m, int i, int j)
{
  unlock(m, i);
  if (i != j)
    unlock(m, j);
}

/* Reserve a free slot for X; -1: there is none.
 * The bug: whether the slot is free is asked before its lock is taken, and not again. Two threads can reserve the same
 * slot, and the second overwrites the element of the first. */
static int
find_slot(multiset *m, int x)
{
  for (int i = 0; i < m->n; i++)
  {
    slot *s = &m->slots[i];
    if (m->options.bug && s->elt != EMPTY)
      continue;
    lock(m, i);
    bool mine = m->options.bug || s->elt == EMPTY;
    if (mine)
      HD_ASSIGN(&m->object, ELT(i), s->elt, x);
    unlock(m, i);
    if (mine)
      return i;
  }
  return -1;
}

/* ---- Insert ---- */

static bool
insert(multiset *m, int x)
{
  int i = find_slot(m, x);
  if (i == -1)
    return false;

  lock(m, i);
  HD_BLOCK_BEGIN(&m->object);
  HD_ASSIGN(&m->object, VALID(i), m->slots[i].valid, true);
  HD_COMMIT(&m->object);
  HD_BLOCK_END(&m->object);
  unlock(m, i);
  return true;
}

bool
multiset_insert(multiset *m, int x)
{
  HD_CALL(&m->object, "Insert", x);
  bool done = insert(m, x);
  HD_RETURN(&m->object, done);
  return done;
}

/* ---- InsertPair: Fig. 4, with its line numbers ---- */

static bool
insert_pair(multiset *m, int x, int y)
{
  int i = find_slot(m, x); /* 1 */
  if (i == -1)
    return false;
  int j = find_slot(m, y); /* 4 */
  if (j == -1)
  {
    /* Line 6 gives the slot away without its lock: log first, then store, or the next owner's entry could come before
     * ours. */
    HD_ASSIGN_RELEASE(&m->object, ELT(i), m->slots[i].elt, EMPTY);
    return false;
  }
  lock_two(m, i, j); /* 9, 10 */
  HD_BLOCK_BEGIN(&m->object);
  HD_ASSIGN(&m->object, VALID(i), m->slots[i].valid, true); /* 11 */
  HD_ASSIGN(&m->object, VALID(j), m->slots[j].valid, true); /* 12 */
  HD_COMMIT(&m->object);                                    /* 13: from here on both are seen, or neither */
  HD_BLOCK_END(&m->object);
  unlock_two(m, i, j);
  return true;
}

bool
multiset_insert_pair(multiset *m, int x, int y)
{
  HD_CALL(&m->object, "InsertPair", x, y);
  bool done = insert_pair(m, x, y);
  HD_RETURN(&m->object, done);
  return done;
}

/* ---- Delete ---- */

static bool
delete_one(multiset *m, int x)
{
  for (int i = m->n - 1; i >= 0; i--)
  {
    slot *s = &m->slots[i];
    lock(m, i);
    bool found = s->valid && s->elt == x;
    if (found)
    {
      HD_BLOCK_BEGIN(&m->object);
      HD_ASSIGN(&m->object, VALID(i), s->valid, false);
      HD_ASSIGN(&m->object, ELT(i), s->elt, EMPTY);
      HD_COMMIT(&m->object);
      HD_BLOCK_END(&m->object);
    }
    unlock(m, i);
    if (found)
      return true;
  }
  return false;
}

/* Delete takes effect somewhere between its call and its last store, and no line of it says where: while it is on its
 * way to one X, another X can be inserted behind it, and a LookUp that runs between the two sees neither. That is
 * right, as if Delete came before Insert; so its commit is a window that starts here. */
bool
multiset_delete(multiset *m, int x)
{
  HD_CALL(&m->object, "Delete", x);
  if (!m->options.exact_delete)
  {
    HD_WINDOW(&m->object);
  }
  bool done = delete_one(m, x);
  HD_RETURN(&m->object, done);
  return done;
}

/* ---- LookUp: an observer, which needs no commit ---- */

static bool
look_up(multiset *m, int x)
{
  for (int i = m->n - 1; i >= 0; i--)
  {
    slot *s = &m->slots[i];
    lock(m, i);
    bool found = s->valid && s->elt == x;
    unlock(m, i);
    if (found)
      return true;
  }
  return false;
}

bool
multiset_look_up(multiset *m, int x)
{
  HD_CALL(&m->object, "LookUp", x);
  bool found = look_up(m, x);
  HD_RETURN(&m->object, found);
  return found;
}

/* ---- compress: an internal task; each move is a block that must leave the view as it was ---- */

static void
move(multiset *m, int from, int to)
{
  slot *f = &m->slots[from], *t = &m->slots[to];
  HD_BLOCK_BEGIN(&m->object);
  HD_ASSIGN(&m->object, ELT(to), t->elt, f->elt);
  HD_ASSIGN(&m->object, VALID(to), t->valid, true);
  HD_ASSIGN(&m->object, VALID(from), f->valid, false);
  HD_ASSIGN(&m->object, ELT(from), f->elt, EMPTY);
  HD_BLOCK_END(&m->object);
}

void
multiset_compress(multiset *m)
{
  HD_INTERNAL_BEGIN(&m->object, "compress");
  int low = 0, high = m->n - 1;
  while (low < high)
  {
    int from = high, to = low;
    lock_two(m, from, to);
    if (m->slots[to].elt != EMPTY)
      low++;
    else if (!m->slots[from].valid)
      high--;
    else
      move(m, from, to);
    unlock_two(m, from, to);
  }
  HD_INTERNAL_END(&m->object);
}
