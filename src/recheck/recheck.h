/* recheck.h: proves again what a certificate claims of a controller (control/certificate.h has the rules).
 *
 * This is the part that must be right for a certificate to mean anything, so it is small and shares nothing with what
 * finds proofs: of src/control it uses the model alone (guards as written, updates, edges, formulas), and it decides
 * every obligation with an exact solver of its own (simplex.h, solver.h).
 *
 * Each obligation is a question whether integers exist that break it. There are none: it is proved. There are some: the
 * certificate is wrong, and these are shown. The work was too much, or numbers became too large: it is not known, which
 * is never taken for a proof.
 *
 * Threads: one. */
#ifndef HD_RECHECK_H
#define HD_RECHECK_H

#include "control/certificate.h"

typedef enum hd_recheck_status
{
  HD_RECHECK_ABSENT, /* the certificate claims nothing about it */
  HD_RECHECK_PROVED,
  HD_RECHECK_WRONG,
  HD_RECHECK_UNDECIDED
} hd_recheck_status;

typedef struct hd_recheck_claim
{
  const char *name; /* of the property; NULL: that no deadlock is reachable */
  hd_recheck_status status;
  bool fair;              /* about weakly fair paths alone */
  uint64_t obligations;   /* that were proved */
  const char *obligation; /* the first that is wrong or not decided, as a sentence without a full stop */
  const int64_t *before;  /* WRONG: every dimension, in a state that breaks it */
  const int64_t *after;   /* and after the step that the obligation is about; NULL: it is not about one */
} hd_recheck_claim;

typedef struct hd_recheck_result
{
  hd_arena *arena;
  hd_verdict verdict;                   /* HOLDS: everything that is claimed is proved; VIOLATED: something is wrong */
  uint64_t least_threads, most_threads; /* the certificate's, within those of the file */
  size_t nbindings;
  const hd_control_binding *bindings; /* the certificate's: constants with one value */
  hd_recheck_claim *claims;           /* one for each property, then the deadlock */
  size_t n;
} hd_recheck_result;

/* Check CERTIFICATE. WORK bounds what is done for one obligation; 0: the default. Both arguments must outlive the
 * answer. */
HD_GIVE hd_recheck_result *hd_recheck_run(HD_KEEP const hd_controller *c,
                                          HD_KEEP const hd_control_certificate *certificate, uint64_t work);
void hd_recheck_free(HD_TAKE hd_recheck_result *r);

/* For people. QUIET: only what is wrong or not decided. */
void hd_recheck_text(hd_string *out, const hd_controller *c, const hd_recheck_result *r, bool quiet);
/* For programs: docs/schema/recheck.schema.json. PATH is the certificate's. */
void hd_recheck_json(hd_string *out, const hd_controller *c, const char *path, const hd_recheck_result *r);

#endif
