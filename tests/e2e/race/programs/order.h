/* order.h: makes the steps of a program happen in one order without ordering them for the race detector: order.c is
 * compiled without instrumentation. after(n) waits for n calls of done(). */
void after(int n);
void done(void);
