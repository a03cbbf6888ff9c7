/* For loads.c: a library that was compiled with heddle-cc. */
int shared_counter;

int
bump(void)
{
  return ++shared_counter;
}
