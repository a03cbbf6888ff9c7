# lib.sh: what the cases of this folder share; a cmd reads it with: . "$CASE/../../lib.sh"

# script NAME [TYPE]: a script (tests/unit/script/script.h) from the input becomes NAME.hlog; its sites are in NAME.txt.
script() {
  cat >"$1.txt"
  "$BUILD/tests/script2log" "$1.txt" "$1.hlog" "${2:-register}" || exit 99
}

# program NAME: compile NAME.c, of the case or of this folder, as a user does who has installed Heddle.
program() {
  cp "$CASE/$1.c" . 2>/dev/null || cp "$CASE/../../$1.c" . || exit 99
  ${CC:-cc} -O1 -g -Wall -I"$SRC/include" "$1.c" -o "$1" -L"$BUILD" -Wl,-rpath,"$BUILD" -lheddle-verify -lheddle \
    -pthread || exit 99
}

# spec NAME [OPTION]: compile the case's NAME.c as a specification, NAME.so.
spec() {
  cp "$CASE/$1.c" . || exit 99
  ${CC:-cc} -O1 -g -w -shared -fPIC -I"$SRC/include" "$1.c" ${2:-} -o "$1.so" || exit 99
}

# status COMMAND...: run it and say how it ended.
status() {
  "$@"
  echo "status $?"
}

# Crashes are part of the cases.
ulimit -c 0
