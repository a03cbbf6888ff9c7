/* explain.c: the kinds of checks: their names, what their failures say, and what they mean. */
#include <string.h>

#include "civl/civl.h"

typedef struct kind
{
  const char *name, *explained;
} kind;

static const kind kinds[HD_CIVL_CHECKS] = {
    [HD_CIVL_SEQUENTIAL]
    = {"sequential", "A procedure at one layer, read as if it ran alone between two yields: its assertions hold, the\n"
                     "preconditions of what it calls hold at each call, its loop invariants hold at the first round\n"
                     "and are kept by each further one, and its postconditions hold when it returns. The gates of\n"
                     "the actions that it calls are asserted at the layer where it disappears and assumed below. A\n"
                     "failure is an ordinary one: the path and its values show a run that ends in the assertion.\n"},
    [HD_CIVL_NON_INTERFERENCE]
    = {"non-interference", "What a thread asserts right after a yield must stay true while others run. So for every\n"
                           "stretch of code between two yields, and every yield of any procedure at that layer:\n"
                           "if the asserted predicate holds before the stretch, it holds after it. Permissions of\n"
                           "linear variables tell the two threads apart. A failure names the predicate; the path\n"
                           "is the other thread's. Strengthen the predicate, or protect what it speaks of.\n"},
    [HD_CIVL_REFINEMENT]
    = {"refinement",
       "A procedure with {:refines \"A\"} must look like the one step A. Each stretch between two yields\n"
       "either leaves the variables of the layer above as they were, or does what A does, and on\n"
       "each path exactly one stretch does the latter; after it the outputs stay. Without {:refines}\n"
       "no stretch may change those variables. In the reference's words, \"initial state\" is a change that\n"
       "A could not make, \"final state\" a second one; a return without any is a failure, too.\n"},
    [HD_CIVL_COMMUTATIVITY]
    = {"commutativity", "A right mover may be put after, a left mover before, a step of another thread. So for each\n"
                        "such pair: from any state in which the gates of both hold, whatever the first and then\n"
                        "the second action can do, the second and then the first can do, too, with the same\n"
                        "outputs and the same final state. The failing values are those of both actions' inputs,\n"
                        "first_x and second_x, and of the variables before and after.\n"},
    [HD_CIVL_GATE_PRESERVATION]
    = {"gate-preservation", "The gate of an action (its leading asserts) is what its caller had to establish. When a\n"
                            "mover changes its place, the gate must still hold there: from any state in which both\n"
                            "gates hold, the gate of the first action holds after the second one. A failure\n"
                            "shows a state and inputs from which the second action makes the gate false. Weaken\n"
                            "the gate, strengthen the other's, or take the mover type away.\n"},
    [HD_CIVL_FAILURE_PRESERVATION]
    = {"failure-preservation", "Moving a left mover to an earlier place must not hide an error: if the gate of the\n"
                               "other action fails in a state, it still fails after the left mover. Otherwise a\n"
                               "program could go wrong in an order that the reduced program no longer has. A\n"
                               "failure shows a state in which the gate is false and a step of the left mover\n"
                               "after which it is true.\n"},
    [HD_CIVL_NON_BLOCKING]
    = {"non-blocking", "A left mover is moved before steps that came ahead of it, so it must be able to happen there:\n"
                       "from every state in which its gate holds, at least one path through its body satisfies\n"
                       "all assumes. Only actions with an assume are checked. A failure shows a state from which\n"
                       "every path is blocked. Make the action total, put the condition into the gate, or give up\n"
                       "the mover type: an action that waits is a right mover or no mover.\n"},
    [HD_CIVL_LINEARITY]
    = {"linearity", "Linear variables hold permissions that exist once. An action may pass them on, split them and\n"
                    "join them, but not duplicate or invent them: for each domain, what its linear outputs and\n"
                    "changed linear globals collect after the body is contained, with multiplicity, in what its\n"
                    "linear inputs and the same globals collected before. A failure shows a permission that comes\n"
                    "out more often than it went in.\n"},
    [HD_CIVL_LAYERS]
    = {"layers", "Every variable, action and procedure lives on certain layers. Code may only touch what exists where\n"
                 "the code exists: an action uses variables that were introduced below it and live as long, a\n"
                 "procedure calls what disappears before it does, a specification at layer n speaks of what is\n"
                 "visible at n. A procedure that refines an action has the action's parameters. Decided by reading\n"
                 "the program; no solver is asked.\n"},
    [HD_CIVL_BRACKET]
    = {"bracket", "At each layer, code of a yielding procedure that touches shared state must stand between yields:\n"
                  "before the first yield and after the last one only local steps are allowed. So a caller may\n"
                  "treat the call as a yield. The code's graph is compared with a small automaton; there must be\n"
                  "a simulation. Put a yield before the first and after the last access on the path, or mark the\n"
                  "procedure with a mover type.\n"},
    [HD_CIVL_ATOMICITY]
    = {"atomicity", "Between two yields a thread may take right movers, then at most one step that is no mover, then\n"
                    "left movers: by Lipton's reduction that is like one step. At each layer the code's graph must\n"
                    "be simulated by the automaton of that pattern; a loop after the one step must end, and says\n"
                    "so with {:terminates}. A failure means that some path has two steps that may not be merged.\n"
                    "Put a yield between them, or prove one of them a mover.\n"},
    [HD_CIVL_LINEAR_TYPES]
    = {"linear-types",
       "A linear variable's permissions exist once, so it can be used up: after an assignment from it,\n"
       "or a call that takes it, it is not available until it is assigned again. At calls, yields,\n"
       "loop heads and returns all linear globals must be available, and at a return linear\n"
       "parameters and outputs, too. Found by a data-flow analysis of each procedure.\n"
       "Every linear variable needs a collector function of its domain and type.\n"},
    [HD_CIVL_OWNERSHIP]
    = {"ownership",
       "With --module each file is a module and owns global variables. Only the owner's actions, procedures\n"
       "and yield predicates may use them at that layer, so checks of two actions or of a yield and\n"
       "another module's step need not be made: they touch different variables. A use by another\n"
       "module is an error where it stands. A variable may change its owner from one layer to a\n"
       "higher one.\n"},
};

/* How the messages of the checks inside a layer's copy begin. */
static const struct
{
  const char *start;
  hd_civl_check check;
} inside[] = {
    {"Non-interference check", HD_CIVL_NON_INTERFERENCE},
    {"Transition invariant", HD_CIVL_REFINEMENT},
    {"Failed to execute atomic action", HD_CIVL_REFINEMENT},
    {"Specification state must not change", HD_CIVL_REFINEMENT},
};

hd_civl_check
hd_civl_check_of(const hd_civl_task *task, const char *message)
{
  for (size_t i = 0; message && i < sizeof inside / sizeof *inside; i++)
    if (!strncmp(message, inside[i].start, strlen(inside[i].start)))
      return inside[i].check;
  return task->check;
}

const char *
hd_civl_check_name(hd_civl_check check)
{
  return kinds[check].name;
}

bool
hd_civl_check_named(const char *name, hd_civl_check *check)
{
  for (size_t i = 0; i < HD_CIVL_CHECKS; i++)
    if (!strcmp(kinds[i].name, name))
    {
      *check = (hd_civl_check) i;
      return true;
    }
  return false;
}

const char *
hd_civl_check_explained(hd_civl_check check)
{
  return kinds[check].explained;
}
