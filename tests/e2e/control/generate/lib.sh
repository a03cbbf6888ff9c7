# lib.sh: what the cases about generated code share.

flags="-pedantic -Wall -Wextra -Wshadow -Werror -O2 -I$SRC/include -I$SRC/examples/controllers -I."

# all BACKEND: code for every example; it compiles without a warning as C and as C++, with the interface check, and
# survives a few runs of tests/stress/stress.c.
all() {
  status=0
  for file in "$SRC"/examples/controllers/*.h; do
    name=$(basename "$file" .h)
    heddle control generate --backend="$1" "$file" -o "${name}_fast.h" || status=1
    printf '#define HD_CONTROLLER_GENERATED "%s_fast.h"\n#include "%s.h"\n' "$name" "$name" >>together.c
    printf '#define HD_CONTROLLER_GENERATED "%s_fast.h"\n#include "%s.h"\n' "$name" "$name" >alone.c
    for compiler in "gcc -std=c11" "clang -std=c11" "gcc -std=c11 -DHD_CHECK_INTERFACE"; do
      $compiler $flags -fsyntax-only alone.c || status=1
    done
    gcc -std=c11 $flags -DCONTROLLER="\"$name.h\"" -DNAME="$name" -DGENERATED="\"${name}_fast.h\"" \
      "$SRC/tests/stress/stress.c" -o stress -pthread && timeout 200 ./stress 5 1 || status=1
  done
  for compiler in "gcc -std=c11" "clang -std=c11" "g++ -x c++ -std=c++11" "clang++ -x c++ -std=c++11"; do
    $compiler $flags -fsyntax-only together.c && echo "ok all of them in one file: $compiler" || status=1
  done
  return $status
}
