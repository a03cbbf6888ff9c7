/* settings.h: what the environment says to a test, and which case it was that crashed. */
#ifndef TEST_SETTINGS_H
#define TEST_SETTINGS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number in the environment variable NAME, or OTHERWISE. */
static inline uint64_t
setting(const char *name, uint64_t otherwise)
{
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* The case that is being judged, and the variable that makes it again. */
static volatile uint64_t current_case;
static const char *case_variable;

static inline void
say_case(int signal_number)
{
  char digits[] = "                    \n", *digit = digits + sizeof digits - 2;
  uint64_t n = current_case;
  do
    *--digit = (char) ('0' + n % 10);
  while ((n /= 10));
  static const char crashed[] = "\ncrashed: ";
  ssize_t ignored = write(STDERR_FILENO, crashed, sizeof crashed - 1);
  ignored += write(STDERR_FILENO, case_variable, strlen(case_variable));
  ignored += write(STDERR_FILENO, "=", 1);
  ignored += write(STDERR_FILENO, digit, strlen(digit));
  (void) ignored;
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

/* In place of cmocka's handlers, which do not know the case. */
static inline void
say_case_on_crash(const char *variable)
{
  case_variable = variable;
  signal(SIGABRT, say_case);
  signal(SIGSEGV, say_case);
}

#endif
