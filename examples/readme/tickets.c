#include <heddle/heddle.h>
#include <pthread.h>
#include <unistd.h>

static long next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hd_object desk;

static long draw(void) {
  HD_CALL(&desk, "draw");
  pthread_mutex_lock(&lock);
  long mine = next;
  pthread_mutex_unlock(&lock);
  usleep(1); /* print the ticket; this is slow, so somebody moved it out of the lock: a bug */
  pthread_mutex_lock(&lock);
  next = mine + 1;
  HD_COMMIT(&desk); /* draw takes effect here, before the lock is released */
  pthread_mutex_unlock(&lock);
  HD_RETURN(&desk, mine);
  return mine;
}

static void *customer(void *unused) {
  for (int i = 0; i < 1000; i++)
    draw();
  return unused;
}

int main(void) {
  pthread_t other;
  hd_object_init(&desk, "tickets", "desk"); /* its type names the specification */
  pthread_create(&other, NULL, customer, NULL);
  customer(NULL);
  pthread_join(other, NULL);
}
