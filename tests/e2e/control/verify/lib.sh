# lib.sh: what the cases about controllers share.

# controller NAME: makes NAME.h with the controller part from stdin.
controller() {
  { printf '#ifndef HD_CONTROLLER_PASS\n#define HD_CONTROLLER %s\n#define HD_CONTROLLER_FILE "%s.h"\n' "$1" "$1"
    printf '#include <heddle/controller.h>\n#else\n'; cat; echo '#endif'; } >"$1.h"
}

# rw NAME GUARD: a reader-writer lock whose writers have this guard.
rw() {
  controller "$1" <<END
INT(nR, 0)
BOOL(busy, false)
STATE(idle) STATE(reading) STATE(writing)
BLOCKING(r_enter)   WHEN(!busy) DO(nR = nR + 1)  END
NONBLOCKING(r_exit) WHEN(true)  DO(nR = nR - 1)  END
BLOCKING(w_enter)   WHEN($2)    DO(busy = true)  END
NONBLOCKING(w_exit) WHEN(true)  DO(busy = false) END
EDGE(idle, r_enter, reading)  EDGE(reading, r_exit, idle)
EDGE(idle, w_enter, writing)  EDGE(writing, w_exit, idle)
SPEC(excl, AG(!busy || nR == 0))
SPEC(live, AG(IMPLIES(busy, AF(!busy))))
SPEC(keep, RIGID(x, AG(IMPLIES(nR == x, AX(nR >= x - 1)))))
END
}
