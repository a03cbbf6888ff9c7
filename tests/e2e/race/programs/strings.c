/* Functions of the C library that look at memory, or change it, which another thread wrote without order; right: it
 * joined that thread first. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "order.h"

typedef char text[32];
static struct
{
  text memcpy, memmove, memset, memcmp, memchr, mempcpy, memccpy, memmem, memrchr, rawmemchr, bzero, bcopy, bcmp, swab,
      explicit_bzero, strlen, strnlen, strcmp, strncmp, strcasecmp, strncasecmp, strcpy, stpcpy, strncpy, stpncpy,
      strcat, strncat, strdup, strndup, strchr, strrchr, strchrnul, strstr, strcasestr, strspn, strcspn, strpbrk,
      strsep, strtok_r, strtok, strcoll, strverscmp, strxfrm, sprintf, snprintf, qsort, fwrite, fgets, fputs, pread,
      pwrite;
  wchar_t wmemcpy[8], wmemmove[8], wmemset[8], wcslen[8], wcscpy[8], wcsncpy[8], wcscmp[8];
} on;

static void *
fill(void *argument)
{
  char *p = (char *) &on;
  for (size_t i = 0; i < sizeof on; i++)
    p[i] = (i & 31) >= 28 ? 0 : (i & 3) ? 0 : 'a';
  done();
  after(2);
  return argument;
}

static int
by_letter(const void *a, const void *b)
{
  (void) a, (void) b;
  return 0;
}

static volatile size_t zero, seen;
static void *volatile lost;

static void
look(void)
{
  text t = "a";
  wchar_t wide[8] = L"a";
  char *place = on.strsep, *rest;
  FILE *file = tmpfile();
  memcpy(t, on.memcpy, 4 + zero);
  memmove(t, on.memmove, 4 + zero);
  memset(on.memset, 0, 4 + zero);
  seen = (size_t) memcmp(t, on.memcmp, 4 + zero);
  lost = memchr(on.memchr, 'a', 4 + zero);
  lost = mempcpy(t, on.mempcpy, 4 + zero);
  lost = memccpy(t, on.memccpy, 'a', 4 + zero);
  lost = memmem(on.memmem, 4 + zero, "b", 1);
  lost = memrchr(on.memrchr, 'b', 4 + zero);
  lost = rawmemchr(on.rawmemchr, 0);
  bzero(on.bzero, 4 + zero);
  bcopy(on.bcopy, t, 4 + zero);
  seen = (size_t) bcmp(on.bcmp, t, 4 + zero);
  swab(on.swab, t, 4);
  explicit_bzero(on.explicit_bzero, 4 + zero);
  seen = strlen(on.strlen);
  seen = strnlen(on.strnlen, 4 + zero);
  seen = (size_t) strcmp(on.strcmp, t);
  seen = (size_t) strncmp(on.strncmp, t, 4 + zero);
  seen = (size_t) strcasecmp(on.strcasecmp, t);
  seen = (size_t) strncasecmp(on.strncasecmp, t, 4 + zero);
  strcpy(t, on.strcpy);
  stpcpy(t, on.stpcpy);
  strncpy(t, on.strncpy, 4 + zero);
  stpncpy(t, on.stpncpy, 4 + zero);
  t[0] = 0;
  strcat(t, on.strcat);
  strncat(t, on.strncat, 4 + zero);
  free(strdup(on.strdup));
  free(strndup(on.strndup, 4 + zero));
  lost = strchr(on.strchr, 'b');
  lost = strrchr(on.strrchr, 'b');
  lost = strchrnul(on.strchrnul, 'b');
  lost = strstr(on.strstr, "b");
  lost = strcasestr(on.strcasestr, "b");
  seen = strspn(on.strspn, "ab");
  seen = strcspn(on.strcspn, "bc");
  lost = strpbrk(on.strpbrk, "bc");
  lost = strsep(&place, ",;");
  lost = strtok_r(on.strtok_r, ",;", &rest);
  lost = strtok(on.strtok, ",;");
  seen = (size_t) strcoll(on.strcoll, t);
  seen = (size_t) strverscmp(on.strverscmp, t);
  seen = strxfrm(t, on.strxfrm, 4 + zero);
  sprintf(on.sprintf, "%zu", zero);
  snprintf(on.snprintf, 8, "%zu", zero);
  qsort(on.qsort, 4, 1, by_letter);
  fwrite(on.fwrite, 1, 8, file);
  rewind(file);
  lost = fgets(on.fgets, 8, file);
  fputs(on.fputs, file);
  fflush(file);
  seen = (size_t) pwrite(fileno(file), on.pwrite, 4, 0);
  seen = (size_t) pread(fileno(file), on.pread, 4, 0);
  fclose(file);
  wmemcpy(wide, on.wmemcpy, 2 + zero);
  wmemmove(wide, on.wmemmove, 2 + zero);
  wmemset(on.wmemset, L'b', 2 + zero);
  seen = wcslen(on.wcslen);
  wcscpy(wide, on.wcscpy);
  wcsncpy(wide, on.wcsncpy, 2 + zero);
  seen = (size_t) wcscmp(on.wcscmp, wide);
}

int
main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, fill, NULL);
  after(1);
#ifdef RIGHT
  done();
  pthread_join(thread, NULL);
#endif
  look();
#ifndef RIGHT
  done();
  pthread_join(thread, NULL);
#endif
  return 0;
}
