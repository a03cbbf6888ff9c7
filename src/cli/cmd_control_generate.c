/* cmd_control_generate.c: heddle control generate: fast code for a controller, with a proof of its wake-ups. */
#include "cli/cli.h"
#include "generate/generate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The file at PATH. False: it was reported. */
static bool
read_file(const char *path, hd_string *text)
{
  FILE *f = fopen(path, "rb");
  char part[4096];
  size_t n;
  while (f && (n = fread(part, 1, sizeof part, f)) > 0)
    hd_string_add_n(text, part, n);
  bool good = f && !ferror(f);
  if (!good)
    fprintf(stderr, "heddle control generate: %s: %s\n", path, strerror(errno));
  if (f)
    fclose(f);
  return good;
}

/* PATH "-" is stdout. */
static bool
write_file(const char *path, const hd_string *text)
{
  FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
  bool good = f && fwrite(text->text, 1, text->length, f) == text->length && fflush(f) == 0;
  if (f && f != stdout)
    good = fclose(f) == 0 && good;
  if (!good)
    fprintf(stderr, "heddle control generate: %s: %s\n", path, strerror(errno));
  return good;
}

/* Beside the controller's file, NAME_fast.h. */
static void
default_output(hd_string *out, const char *path, const char *name)
{
  const char *slash = strrchr(path, '/');
  hd_string_add_n(out, path, slash ? (size_t) (slash + 1 - path) : 0);
  hd_string_printf(out, "%s_fast.h", name);
}

static bool
write_models(const hd_generate_plan *p, const char *folder)
{
  bool good = true;
  for (size_t q = 0; q < p->nqueues && good; q++)
  {
    hd_string path = {0}, text = {0};
    hd_string_printf(&path, "%s/%s_%s.h", folder, p->c->name, p->c->actions[p->queues[q].action].name);
    hd_generate_protocol(&text, p, q);
    good = write_file(path.text, &text);
    hd_string_free(&path);
    hd_string_free(&text);
  }
  return good;
}

/* Prove the wake-ups of P and write its code. */
static bool
write_code(const hd_cli_options *o, hd_generate_plan *p)
{
  hd_string notes = {0}, code = {0}, output = {0};
  size_t proved = 0;
  hd_generate_prove(p, &notes);
  if (notes.length)
    fputs(notes.text, stderr);
  if (o->output)
    hd_string_add(&output, o->output);
  else
    default_output(&output, p->c->path, p->c->name);
  bool to_stdout = strcmp(output.text, "-") == 0;
  hd_generate_options options = {.backend = (hd_generate_backend) o->backend,
                                 .source = p->c->path,
                                 .output = to_stdout ? "<stdout>" : output.text};
  hd_generate_emit(&code, p, &options);
  for (size_t q = 0; q < p->nqueues; q++)
    proved += p->queues[q].proved;
  bool good = write_file(output.text, &code);
  if (good && !o->quiet && !to_stdout)
    printf("%s: wake-ups of %zu of %zu blocking actions proved for any number of threads\n", output.text, proved,
           p->nqueues);
  hd_string_free(&notes);
  hd_string_free(&code);
  hd_string_free(&output);
  return good;
}

int
hd_control_generate(const hd_cli_options *o)
{
  hd_string messages = {0}, text = {0}, error = {0};
  bool good = false;
  hd_controller *c = NULL;
  if (read_file(o->operands.items[1], &text))
    c = hd_control_parse(o->operands.items[1], text.text ? text.text : "", text.length, &messages);
  if (messages.length)
    fputs(messages.text, stderr);
  hd_generate_plan *p = c ? hd_generate_plan_new(c, text.text, text.length, &error) : NULL;
  if (p)
    good = o->backend == HD_GENERATE_MODELS ? write_models(p, o->output ? o->output : ".") : write_code(o, p);
  else if (c)
    fprintf(stderr, "heddle control generate: %s\n", error.text);
  hd_generate_plan_free(p);
  hd_control_free(c);
  hd_string_free(&messages);
  hd_string_free(&text);
  hd_string_free(&error);
  return good ? HD_HOLDS : HD_BAD_INPUT;
}
