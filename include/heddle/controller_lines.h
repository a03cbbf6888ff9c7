/* controller_lines.h: the source line of an address in this program, for the reports of controller_check.h. It is found
 * in the debug information by addr2line, in a process of its own and only when there is something to report. Written
 * for -std=c11, where glibc declares ISO C and little more. */
#ifndef HEDDLE_CONTROLLER_LINES_H
#define HEDDLE_CONTROLLER_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heddle/controller_macros.h>

extern char **environ;

/* A file that is mapped into this process, and the address that ADDRESS has in it. */
typedef struct hd_controller_code
{
  uint64_t address;
  char file[256];
} hd_controller_code;

static HD_CC_UNUSED bool
hd_controller_find_code(uint64_t address, hd_controller_code *code)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL)
    return false;
  char line[512], file[256], first[256] = "";
  uint64_t base = 0;
  bool found = false;
  while (!found && fgets(line, sizeof line, maps) != NULL)
  {
    unsigned long long start, end, offset;
    if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %255[^\n]", &start, &end, &offset, file) != 4)
      continue;
    if (strcmp(file, first) != 0)
    {
      base = start; /* the first mapping of a file is its beginning */
      strcpy(first, file);
    }
    found = start <= address && address < end && file[0] == '/';
  }
  fclose(maps);
  if (!found)
    return false;

  /* A program that is not position-independent has the same addresses in its file. */
  unsigned char head[18] = {0};
  FILE *elf = fopen(file, "rb");
  const bool fixed = elf != NULL && fread(head, 1, sizeof head, elf) == sizeof head && head[16] == 2; /* ET_EXEC */
  if (elf != NULL)
    fclose(elf);
  code->address = fixed ? address : address - base;
  strcpy(code->file, file);
  return true;
}

/* The output of addr2line, whichever is there; NULL: none is. */
static HD_CC_UNUSED FILE *
hd_controller_ask(const hd_controller_code *code, pid_t *child)
{
  static const char *const programs[] = {"addr2line", "llvm-addr2line", "eu-addr2line"};
  char address[32];
  int ends[2];
  snprintf(address, sizeof address, "0x%llx", (unsigned long long) code->address);
  if (pipe(ends) != 0)
    return NULL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1 /* O_WRONLY */, 0);
  bool started = false;
  for (size_t i = 0; !started && i < sizeof programs / sizeof *programs; i++)
  {
    const char *argv[] = {programs[i], "-f", "-i", "-C", "-e", code->file, address, NULL};
    started = posix_spawnp(child, programs[i], &actions, NULL, (char *const *) argv, environ) == 0;
  }
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE *output = NULL;
  if (started)
  {
    char path[32]; /* fdopen is not in ISO C */
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    output = fopen(path, "r");
    if (output == NULL)
      waitpid(*child, NULL, 0);
  }
  close(ends[0]);
  return output;
}

/* Whether PATH, "/a/rw.h:12", is a line of FILE, "rw.h". */
static HD_CC_UNUSED bool
hd_controller_is_in(const char *path, const char *file)
{
  const size_t n = strlen(file);
  const char *colon = strrchr(path, ':');
  if (colon == NULL || (size_t) (colon - path) < n || strncmp(colon - n, file, n) != 0)
    return false;
  return colon - n == path || colon[-1 - (ptrdiff_t) n] == '/';
}

/* Write to OUT where the call is that returns to PC, "f.c:12, in main". The code there is inlined from INLINED_FROM;
 * wanted is who called that. */
static HD_CC_UNUSED void
hd_controller_line(const void *pc, const char *inlined_from, char *out, size_t size)
{
  hd_controller_code code;
  const uint64_t address = (uint64_t) (uintptr_t) pc - 1; /* the call is before the address that it returns to */
  if (!hd_controller_find_code(address, &code))
  {
    snprintf(out, size, "0x%llx", (unsigned long long) address);
    return;
  }
  snprintf(out, size, "%s+0x%llx (for the line, compile with -g and have addr2line)", code.file,
           (unsigned long long) code.address);
  pid_t child;
  FILE *answer = hd_controller_ask(&code, &child);
  if (answer == NULL)
    return;
  char function[256], line[1024], folder[512];
  bool inner = true; /* the innermost comes first */
  while (fgets(function, sizeof function, answer) != NULL && fgets(line, sizeof line, answer) != NULL)
  {
    function[strcspn(function, "\n")] = '\0';
    line[strcspn(line, " \n")] = '\0'; /* "f.c:12 (discriminator 2)" */
    const char *number = strrchr(line, ':');
    if (!inner || line[0] == '?' || number == NULL || number[1] == '?' || number[1] == '0')
      continue; /* unknown */
    inner = hd_controller_is_in(line, inlined_from);
    const char *shown = line;
    if (getcwd(folder, sizeof folder - 1) != NULL)
    {
      strcat(folder, "/");
      if (strncmp(line, folder, strlen(folder)) == 0)
        shown = line + strlen(folder);
    }
    snprintf(out, size, "%.360s, in %.120s", shown, function);
  }
  fclose(answer);
  waitpid(child, NULL, 0);
}

#endif
