/* cells.c: from variables and addresses to cells (cells.h). */
#include "monitor/cells.h"

#include <stdlib.h>

enum
{
  PAGE_WORDS = 512,
  CACHE = 16
};

typedef struct word
{
  uint32_t cell;       /* + 1; 0: nobody was here. Split: the first of eight */
  uint8_t first, size; /* the bytes that it covers; size 0: split */
} word;

typedef struct page
{
  uint64_t number;
  word words[PAGE_WORDS];
} page;

typedef struct numbers
{
  uint32_t *items;
  size_t n, cap;
} numbers;

struct cells
{
  cell_user user;
  hd_trace_ids named, page_ids;
  numbers named_cells; /* by number in NAMED */
  page **pages;
  size_t npages, pages_cap;
  struct
  {
    uint64_t number;
    page *page;
  } cache[CACHE];
  numbers free_one, free_eight, found;
  uint32_t count;
};

cells *
hd_monitor_cells_new(cell_user user)
{
  cells *c = hd_alloc_zero(sizeof *c);
  c->user = user;
  return c;
}

void
hd_monitor_cells_free(cells *c)
{
  if (!c)
    return;
  for (size_t i = 0; i < c->npages; i++)
    free(c->pages[i]);
  free(c->pages);
  hd_trace_ids_free(&c->named);
  hd_trace_ids_free(&c->page_ids);
  free(c->named_cells.items);
  free(c->free_one.items);
  free(c->free_eight.items);
  free(c->found.items);
  free(c);
}

uint32_t
hd_monitor_cells_count(const cells *c)
{
  return c->count;
}

static void
add(numbers *a, uint32_t x)
{
  HD_PUSH(a->items, a->n, a->cap, x);
}

static uint32_t
make(cells *c, uint32_t how_many)
{
  numbers *spare = how_many == 1 ? &c->free_one : &c->free_eight;
  if (spare->n > 0)
    return spare->items[--spare->n];
  HD_CHECK(c->count < UINT32_MAX - 16);
  c->count += how_many;
  return c->count - how_many;
}

static page *
find_page(cells *c, uint64_t number, bool create)
{
  size_t slot = number % CACHE;
  if (c->cache[slot].page && c->cache[slot].number == number)
    return c->cache[slot].page;
  uint32_t id;
  if (!hd_trace_ids_find(&c->page_ids, number, &id))
  {
    if (!create)
      return NULL;
    id = hd_trace_ids_get(&c->page_ids, number);
    page *new = hd_alloc_zero(sizeof *new);
    new->number = number;
    HD_PUSH(c->pages, c->npages, c->pages_cap, new);
  }
  c->cache[slot].number = number;
  c->cache[slot].page = c->pages[id];
  return c->pages[id];
}

/* From now on the word has a cell for each byte. */
static void
split(cells *c, word *w)
{
  uint32_t old = w->cell - 1, new = make(c, 8);
  for (unsigned i = 0; i < w->size; i++)
    c->user.copy(c->user.context, old, new + w->first + i);
  c->user.clear(c->user.context, old);
  add(&c->free_one, old);
  *w = (word){.cell = new + 1};
}

/* Bytes FIRST .. FIRST + SIZE - 1 of the word. */
static void
find_word(cells *c, word *w, unsigned first, unsigned size, bool create)
{
  if (w->cell == 0)
  {
    if (!create)
      return;
    *w = (word){make(c, 1) + 1, (uint8_t) first, (uint8_t) size};
  }
  if (w->size > 0 && (w->first != first || w->size != size))
  {
    if (!create && (first + size <= w->first || w->first + w->size <= (int) first))
      return;
    split(c, w);
  }
  if (w->size > 0)
    add(&c->found, w->cell - 1);
  else
    for (unsigned i = 0; i < size; i++)
      add(&c->found, w->cell - 1 + first + i);
}

typedef void visitor(cells *c, word *w, unsigned first, unsigned size, bool create);

/* The words of P, which is page NUMBER, from address AT on, up to LAST. */
static void
walk_page(cells *c, page *p, uint64_t at, uint64_t last, bool create, visitor *visit)
{
  uint64_t end = (at | (8 * PAGE_WORDS - 1)) < last ? (at | (8 * PAGE_WORDS - 1)) : last, left = end - at + 1;
  while (left > 0)
  {
    unsigned first = (unsigned) (at % 8), n = 8 - first < left ? 8 - first : (unsigned) left;
    visit(c, &p->words[at / 8 % PAGE_WORDS], first, n, create);
    at += n;
    left -= n;
  }
}

/* Visit the words of the range; without CREATE, those on pages that are there. */
static void
walk(cells *c, uint64_t target, uint32_t size, bool create, visitor *visit)
{
  uint64_t last = target + (size - 1), first_page = target / 8 / PAGE_WORDS, last_page = last / 8 / PAGE_WORDS;
  if (!create && last_page - first_page > c->npages)
  {
    for (size_t i = 0; i < c->npages; i++)
      if (c->pages[i]->number >= first_page && c->pages[i]->number <= last_page)
      {
        uint64_t start = c->pages[i]->number * 8 * PAGE_WORDS;
        walk_page(c, c->pages[i], start > target ? start : target, last, create, visit);
      }
    return;
  }
  for (uint64_t number = first_page; number <= last_page; number++)
  {
    page *p = find_page(c, number, create);
    uint64_t start = number * 8 * PAGE_WORDS;
    if (p)
      walk_page(c, p, start > target ? start : target, last, create, visit);
  }
}

size_t
hd_monitor_cells_get(cells *c, uint64_t target, uint32_t size, bool create, const uint32_t **list)
{
  c->found.n = 0;
  if (size == 0)
  {
    uint32_t before = c->named.n, id = hd_trace_ids_get(&c->named, target);
    if (id == before)
      add(&c->named_cells, make(c, 1));
    add(&c->found, c->named_cells.items[id]);
  }
  else
    walk(c, target, size, create, find_word);
  *list = c->found.items;
  return c->found.n;
}

static void
renew_word(cells *c, word *w, unsigned first, unsigned size, bool create)
{
  (void) create;
  if (w->cell == 0)
    return;
  uint32_t cell = w->cell - 1;
  if (w->size > 0)
  {
    if (first + size <= w->first || w->first + w->size <= (int) first)
      return;
    if (first > w->first || first + size < (unsigned) w->first + w->size)
      split(c, w);
    else
    {
      c->user.clear(c->user.context, cell);
      add(&c->free_one, cell);
      *w = (word){0};
      return;
    }
    cell = w->cell - 1;
  }
  for (unsigned i = 0; i < size; i++)
    c->user.clear(c->user.context, cell + first + i);
  if (size == 8)
  {
    add(&c->free_eight, cell);
    *w = (word){0};
  }
}

void
hd_monitor_cells_renew(cells *c, uint64_t target, uint32_t size)
{
  walk(c, target, size, false, renew_word);
}
