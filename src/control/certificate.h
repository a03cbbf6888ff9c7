/* certificate.h: why a property holds, in a form that a small program can check again (src/recheck).
 *
 * What follows is about all states in which booleans and enumerations have one of their values, counters are not
 * negative, the number of threads is in the certificate's range, and the constants are as the file assumes and the
 * certificate says; the rigid variables of a property have any values. No step leaves these.
 *
 * A proof has an invariant, the states of one set without those of another. It contains every start and is closed under
 * every step. A step is one way in which one thread takes one edge: by one case of the first command whose guard holds,
 * or, if the action is nonblocking, without any change of variables where no guard does.
 *
 * For each node of the formula there is a set of states in which that node is shown to hold; every start lies in the
 * set of the root. With S for the set of the node, L and R for those of its children, and all of it inside the
 * invariant, these are the rules:
 *
 * - Predicate: S is inside the predicate.
 *
 * - AND, OR: S is inside the intersection, or the union, of L and R.
 *
 * - IMPLIES: the part of S where the left side holds, which is a predicate, is inside R. There is no need for L.
 *
 * - AX: every step from S ends in L.
 *
 * - AG: S is inside L, and every step from S ends in S.
 *
 * - AF, AU: there are stages, in an order. For AF, R is the set of its one child. S is inside the union of R and all
 *   stages. The states of a stage that are neither in R nor in an earlier stage are its own. In all of them L holds (AU
 *   alone) and a step is possible, and each step from them ends in R, in an earlier stage, or in the same stage with a
 *   smaller rank.
 *
 * The rank of a stage is a list of linear expressions. A step makes it smaller if one of them was not negative and
 * falls by at least 1, while none before it in the list grows; those after it may do anything. No step sequence can go
 * on like that for ever: of the expressions that fall again and again, the first never grows in the end. A stage
 * without ranks is left at once.
 *
 * Under weak fairness a thread that can take an action, and goes on being able to, takes it or another one at last.
 * There a stage may name a helpful edge (p, a, q). In all of the stage's own states some thread is in p and a can be
 * taken; so a step is possible. Every step of a thread from p, by whichever edge, ends in R, in an earlier stage, or in
 * the same stage with a smaller rank. Every other step may also end in the same stage with a rank of which no part is
 * larger. Threads must leave p again and again, so the rank becomes smaller again and again, and the stage is left.
 *
 * The claim that no deadlock is reachable has an invariant alone. In all of its states a step is possible, or no edge
 * leads from any state that a thread is in. */
#ifndef HD_CONTROL_CERTIFICATE_H
#define HD_CONTROL_CERTIFICATE_H

#include "control/control.h"

typedef struct hd_control_stage
{
  hd_control_set states;
  size_t nranks;
  const hd_control_linear *ranks;
  int32_t helpful; /* an edge, or -1: every step must make the rank smaller */
} hd_control_stage;

typedef struct hd_control_proof_node
{
  hd_control_set states;
  size_t nstages; /* of AF and AU */
  const hd_control_stage *stages;
} hd_control_proof_node;

typedef struct hd_control_proof
{
  hd_control_set invariant; /* what is in INVARIANT and not in EXCLUDED */
  hd_control_set excluded;
  const hd_control_proof_node *nodes; /* by the numbers of the formulas; NULL: the claim is about deadlock */
} hd_control_proof;

/* For a number of threads between LEAST and MOST and all constants that are assumed; of these, some may have one value
 * alone. */
typedef struct hd_control_certificate
{
  uint64_t least_threads, most_threads; /* UINT64_MAX: any number */
  bool fair; /* helpful edges are allowed everywhere; else in the properties that are about fair paths anyway */
  const hd_control_proof *const *proofs; /* one for each property; NULL: not proved */
  const hd_control_proof *deadlock;      /* NULL: not proved */
  size_t nbindings;
  const hd_control_binding *bindings; /* constants with one value, each once */
} hd_control_certificate;

/* ---- as text: docs/controllers.md describes the form ---- */

enum
{
  HD_CERTIFICATE_VERSION = 1
};

/* Of the model (hd_control_dump): a certificate is good for controllers with this digest alone. */
uint64_t hd_certificate_digest(const hd_controller *c);
void hd_certificate_write(hd_string *out, const hd_controller *c, const hd_control_certificate *certificate);
/* "nR - 2*count(reading) + 1" */
void hd_certificate_write_linear(hd_string *out, const hd_controller *c, const hd_control_linear *l);

/* The certificate for C in TEXT, N bytes; PATH is for messages. NULL: it has mistakes, or is for something else.
 * MESSAGES gets lines "PATH:LINE:COLUMN: error: ...". Everything is made in ARENA. What it says is not checked, but it
 * has the right form: nodes and edges exist, there are stages for AF and AU alone, and helpful edges only where
 * fairness is claimed. */
const hd_control_certificate *hd_certificate_parse(const hd_controller *c, const char *path, const char *text, size_t n,
                                                   hd_arena *arena, hd_string *messages);
/* The same for the file at PATH. */
const hd_control_certificate *hd_certificate_read(const hd_controller *c, const char *path, hd_arena *arena,
                                                  hd_string *messages);

#endif
