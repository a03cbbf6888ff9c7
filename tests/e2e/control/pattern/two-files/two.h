/* two.h: what two.c does with a controller that one.c made. */
#ifndef TWO_H
#define TWO_H

struct rw;
void leave(struct rw *c);

#endif
