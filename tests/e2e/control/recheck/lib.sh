# lib.sh: what the cases about certificates share.
examples=$SRC/examples/controllers

# certificate NAME: the certificate of an example, written by hand, as NAME.certificate; its header beside it.
certificate() {
  cp "$examples/$1.h" .
  printf 'heddle certificate 1\ncontroller %s\nmodel\n' "$1" >without
  digest=$(heddle control recheck "$1.h" without 2>&1 | sed 's/.* has //')
  sed "s/MODEL/$digest/" "$SRC/tests/unit/recheck/$1.certificate" >"$1.certificate"
}

# check NAME CERTIFICATE [OPTION]
check() {
  heddle control recheck "$@" 2>&1
  echo "status $?"
}
