/* certificate_head.c: the first lines of a certificate: what it is for (certificate_reader.h). */
#include <inttypes.h>

#include "control/certificate_reader.h"

void
hd_certificate_line_heddle(hd_certificate_reader *r, size_t at)
{
  const char *word;
  size_t n;
  uint64_t version;
  r->wrong_file = true;
  if (!hd_certificate_read_word(r, &word, &n) || !hd_certificate_is(word, n, "certificate"))
    hd_certificate_fail(r, at, "a certificate begins with the line 'heddle certificate %d'", HD_CERTIFICATE_VERSION);
  else if (!hd_certificate_read_number(r, UINT64_MAX, &version))
    ;
  else if (version != HD_CERTIFICATE_VERSION)
    hd_certificate_fail(r, at, "this is version %" PRIu64 " of the form of certificates; this program knows version %d",
                        version, HD_CERTIFICATE_VERSION);
  else
    r->wrong_file = false;
}

void
hd_certificate_line_controller(hd_certificate_reader *r, size_t at)
{
  const char *word;
  size_t n;
  r->wrong_file = true;
  if (!hd_certificate_read_word(r, &word, &n))
    hd_certificate_fail(r, at, "the name of the controller is missing");
  else if (!hd_certificate_is(word, n, r->c->name))
    hd_certificate_fail(r, at, "this certificate is for a controller '%.*s', but %s has '%s'", (int) (n < 60 ? n : 60),
                        word, r->c->path, r->c->name);
  else
    r->wrong_file = false;
}

void
hd_certificate_line_model(hd_certificate_reader *r, size_t at)
{
  const char *word;
  size_t n;
  char wanted[17];
  snprintf(wanted, sizeof wanted, "%016" PRIx64, hd_certificate_digest(r->c));
  r->wrong_file = true;
  if (!hd_certificate_read_word(r, &word, &n))
    hd_certificate_fail(r, at, "the digest of the model is missing; %s has %s", r->c->path, wanted);
  else if (!hd_certificate_is(word, n, wanted))
    hd_certificate_fail(
        r, at, "this certificate is for another version of '%s': its model has the digest %.*s, that of %s has %s",
        r->c->name, (int) (n < 60 ? n : 60), word, r->c->path, wanted);
  else
    r->wrong_file = false;
}

void
hd_certificate_line_threads(hd_certificate_reader *r, size_t at)
{
  hd_control_certificate *out = r->out;
  if (!hd_certificate_read_number(r, INT64_MAX / 4, &out->least_threads))
    return;
  if (!hd_certificate_eat(r, ".."))
    hd_certificate_fail(r, r->at, "the range of threads is written 1..4, or 1.. if there is no largest number");
  else if (!hd_certificate_line_over(r) && !hd_certificate_read_number(r, INT64_MAX / 4, &out->most_threads))
    ;
  else if (out->most_threads < out->least_threads || out->most_threads < r->c->least_threads
           || out->least_threads > r->c->most_threads)
    hd_certificate_fail(r, at, "no number of threads is in this range and allowed by the file too");
}

void
hd_certificate_line_fair(hd_certificate_reader *r, size_t at)
{
  (void) at;
  r->out->fair = true;
}

void
hd_certificate_line_constant(hd_certificate_reader *r, size_t at)
{
  const char *word;
  size_t n, i = 0, start = (hd_certificate_skip_blanks(r), r->at);
  uint64_t value;
  if (hd_certificate_read_word(r, &word, &n))
    while (i < r->c->nconstants && !hd_certificate_is(word, n, r->c->constants[i].name))
      i++;
  if (n == 0 || i == r->c->nconstants)
    hd_certificate_fail(r, start, "the name of a constant of '%s' should stand here", r->c->name);
  for (size_t k = 0; !r->broken && k < r->out->nbindings; k++)
    if (r->bindings[k].name == r->c->constants[i].name)
      hd_certificate_fail(r, at, "the constant '%s' has a value already", r->bindings[k].name);
  bool negative = hd_certificate_eat(r, "-");
  if (!r->broken && hd_certificate_read_number(r, INT64_MAX / 4, &value))
    r->bindings[r->out->nbindings++]
        = (hd_control_binding){r->c->constants[i].name, negative ? -(int64_t) value : (int64_t) value};
}
