# lib.sh: what the cases of this folder share; a cmd reads it with: . "$CASE/../lib.sh"

# program COMPILER OPTION...: the case's *.c become the program, warnings are errors.
program() {
  cp "$CASE"/*.c . || exit 99
  "$@" -g -Wall -Wextra -Werror -I"$SRC/include" -I"$SRC/examples/controllers" *.c -o program -pthread || exit 99
}

# Programs abort here on purpose.
ulimit -c 0
