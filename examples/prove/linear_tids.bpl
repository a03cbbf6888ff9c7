// linear_tids.bpl: threads that each own one cell of an array (Fig. 4 of the CIVL paper).
//
//   layer 0   reading and writing one cell; an allocator of thread identifiers
//   layer 1   Bump: read, be interrupted, write. Nothing is locked
//   layer 2   Main: starts any number of threads that bump their own cell
//
// Bump is right because no two threads have the same identifier. That is no formula over the variables of one
// thread, so no yield predicate can say it. The type {:linear "tid"} says it: the value of a linear variable is
// a permission, it can be handed on but not copied. What is free for the type checker, the proofs may use: the
// permissions of all threads, and of the linear global variables, are disjoint.

type Tid;

var {:layer 0,2} a: [Tid]int;                      // cell t belongs to thread t
var {:layer 0,2} {:linear "tid"} unused: [Tid]bool; // identifiers that were given to nobody yet

// ---- layer 2: starting threads ----

procedure {:yields} {:layer 2} Main()
{
  var {:linear "tid"} tid: Tid;
  yield;
  while (*)
  {
    call tid := Allocate();
    async call Bump(tid);   // the permission goes with the call: tid cannot be used after this line
    yield;
  }
  yield;
}

// ---- layer 1: read, be interrupted, write ----

// Both mover: it touches nothing but the cell that its permission stands for.
procedure {:both} {:layer 2} AtomicBump({:linear_in "tid"} tid: Tid)
modifies a;
{ a[tid] := a[tid] + 1; }

procedure {:yields} {:layer 1} {:refines "AtomicBump"} Bump({:linear_in "tid"} tid: Tid)
ensures {:layer 1} a[tid] == old(a)[tid] + 1;
{
  var {:linear "tid"} me: Tid;
  var t: int;
  me := tid;
  yield;
  assert {:layer 1} me == tid && a[me] == old(a)[me];
  call t := ReadCell(me);
  yield;
  assert {:layer 1} me == tid && t == a[me] && t == old(a)[me];
  call WriteCell(me, t + 1);
  yield;
  assert {:layer 1} me == tid && a[me] == old(a)[me] + 1;
}

// ---- layer 0: the machine ----

procedure {:atomic} {:layer 1} AtomicReadCell({:linear "tid"} tid: Tid) returns (v: int)
{ v := a[tid]; }
procedure {:yields} {:layer 0} {:refines "AtomicReadCell"} ReadCell({:linear "tid"} tid: Tid) returns (v: int);

procedure {:atomic} {:layer 1} AtomicWriteCell({:linear "tid"} tid: Tid, v: int)
modifies a;
{ a[tid] := v; }
procedure {:yields} {:layer 0} {:refines "AtomicWriteCell"} WriteCell({:linear "tid"} tid: Tid, v: int);

// The allocator hands a permission out of its own store. That none is made from nothing is checked, for this action
// as for all others: what goes out may not be more than what came in.
procedure {:right} {:layer 1,2} AtomicAllocate() returns ({:linear "tid"} tid: Tid)
modifies unused;
{ assume unused[tid]; unused[tid] := false; }
procedure {:yields} {:layer 0} {:refines "AtomicAllocate"} Allocate() returns ({:linear "tid"} tid: Tid);

// ---- which permissions a value stands for ----

function {:builtin "MapConst"} AllTids(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(t: Tid): [Tid]bool
{ AllTids(false)[t := true] }
function {:inline} {:linear "tid"} TidSetCollector(s: [Tid]bool): [Tid]bool
{ s }
