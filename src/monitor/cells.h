/* cells.h: from variables and addresses to cells: what is always accessed as one. Private to src/monitor.
 *
 * A variable that is a number has one cell. Memory is cut into words of 8 bytes; a word has one cell as long as every
 * access to it covers the same bytes of it, and afterwards one for each byte. So two accesses that overlap have a cell
 * in common, and most accesses have exactly one. Memory that is allocated or freed gets new cells. */
#ifndef HD_MONITOR_CELLS_H
#define HD_MONITOR_CELLS_H

#include "trace/trace.h"

typedef struct cells cells;

/* What an analysis keeps for a cell moves with it. Numbers of cells are dense and are used again after CLEAR. */
typedef struct cell_user
{
  void *context;
  void (*copy)(void *context, uint32_t from, uint32_t to);
  void (*clear)(void *context, uint32_t cell);
} cell_user;

HD_GIVE cells *hd_monitor_cells_new(cell_user user);
void hd_monitor_cells_free(HD_TAKE cells *c); /* without calling clear */
/* The cells of an access. *LIST is valid until the next call. CREATE: cells that are not there are made, else left out.
 */
size_t hd_monitor_cells_get(cells *c, uint64_t target, uint32_t size, bool create, const uint32_t **list);
/* The memory gets new cells. */
void hd_monitor_cells_renew(cells *c, uint64_t target, uint32_t size);
uint32_t hd_monitor_cells_count(const cells *c); /* all numbers are below */

#endif
