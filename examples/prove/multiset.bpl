// multiset.bpl: a multiset in an array of slots, with InsertPair: both elements go in, or none.
//
// A slot has an element and a bit that says whether the element counts. InsertPair first finds two free slots and
// writes its elements there, one after the other, while others do the same; nobody sees them yet. Then it locks both
// slots, sets both bits, unlocks: that is the moment when the pair is in. If there is no second slot, the first is
// given back. (Elmas, Tasiran and Qadeer check this program while it runs; heddle refine does so for
// examples/multiset.)
//
//   layer 0   one lock for each slot; element and bit read and written under it
//   layer 1   FindSlot: some free slot, or none. A right mover
//   layer 2   InsertPair, LookUp: one atomic step each on a bag, the elements that count, by slot
//   layer 3   a client
//
// A slot that was found and is not in use yet is a permission: nobody else can have found it.

type Tid;
const nobody: Tid;

const slots: int;                     // how many there are
axiom 0 < slots;
const unique null: int;               // what a free slot has for its element

var {:layer 0,2} lock: [int]Tid;
var {:layer 0,2} elt: [int]int;
var {:layer 0,2} valid: [int]bool;
var {:layer 0,2} {:linear "slot"} spare: [int]bool;
var {:layer 2,3} bag: [int]int;       // what counts, by slot; null where nothing does

// ---- layer 3: a client ----

function {:inline} NoSeven(bag: [int]int): bool
{ (forall i: int :: {bag[i]} bag[i] != 7) }

procedure {:yields} {:layer 3} Client({:linear "tid"} tid: Tid, x: int)
requires {:layer 1,2} tid != nobody && x != null && x + 1 != null;
requires {:layer 1} FreeIsNull(elt, valid, spare);
requires {:layer 2} InBag(elt, valid, spare, bag);
requires {:layer 3} NoSeven(bag) && null != 7 && 7 < x;
{
  var ok, found: bool;
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
  assert {:layer 2} InBag(elt, valid, spare, bag);
  assert {:layer 3} NoSeven(bag);
  call ok := InsertPair(tid, x, x + 1);
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
  assert {:layer 2} InBag(elt, valid, spare, bag);
  assert {:layer 3} NoSeven(bag);
  call found := LookUp(tid, 7);
  assert {:layer 3} !found;
  yield;
}

// ---- layer 2: pairs ----

function {:inline} InRange(i: int): bool { 0 <= i && i < slots }

function {:inline} InBag(elt: [int]int, valid: [int]bool, spare: [int]bool, bag: [int]int): bool
{
  (forall i: int ::
    if InRange(i) && valid[i] then bag[i] == elt[i] && elt[i] != null && !spare[i] else bag[i] == null)
}

// Success or not is the implementation's choice (it may find no room); one element without the other is not.
procedure {:atomic} {:layer 3} AtomicInsertPair({:linear "tid"} tid: Tid, x: int, y: int) returns (ok: bool)
modifies bag;
{
  var i, j: int;
  if (*)
  {
    assume i != j && bag[i] == null && bag[j] == null;
    bag[i] := x;
    bag[j] := y;
    ok := true;
  }
  else
  {
    ok := false;
  }
}

// FindSlot, FindSlot, Acquire, Acquire are right movers, then both movers, then left movers: one transaction.
procedure {:yields} {:layer 2} {:refines "AtomicInsertPair"}
  InsertPair({:linear "tid"} tid: Tid, x: int, y: int) returns (ok: bool)
requires {:layer 1,2} tid != nobody && x != null && y != null;
requires {:layer 1} FreeIsNull(elt, valid, spare);
requires {:layer 2} InBag(elt, valid, spare, bag);
ensures {:layer 1} FreeIsNull(elt, valid, spare);
ensures {:layer 2} InBag(elt, valid, spare, bag);
{
  var i, j: int;
  var {:linear "slot"} p, q: [int]bool;
  ok := false;
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
  assert {:layer 2} InBag(elt, valid, spare, bag);
  call i, p := FindSlot(tid, x);
  if (i != -1)
  {
    call j, q := FindSlot(tid, y);
    if (j == -1)
    {
      call GiveBack(tid, i, p);
    }
    else
    {
      call Acquire(tid, i);
      call Acquire(tid, j);
      call SetValid(tid, i, p);
      call SetValid(tid, j, q);
      call NotePair(i, x, j, y);
      call Release(tid, j);
      call Release(tid, i);
      ok := true;
    }
  }
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
  assert {:layer 2} InBag(elt, valid, spare, bag);
}

// What is found was there. What is not found may have come in behind our back, so nothing is said about it.
procedure {:atomic} {:layer 3} AtomicLookUp({:linear "tid"} tid: Tid, x: int) returns (found: bool)
{ assume found ==> (exists i: int :: bag[i] == x); }

procedure {:yields} {:layer 2} {:refines "AtomicLookUp"} LookUp({:linear "tid"} tid: Tid, x: int) returns (found: bool)
requires {:layer 1,2} tid != nobody;
requires {:layer 1} FreeIsNull(elt, valid, spare);
requires {:layer 2} InBag(elt, valid, spare, bag);
ensures {:layer 1} FreeIsNull(elt, valid, spare);
ensures {:layer 2} InBag(elt, valid, spare, bag);
{
  var i: int;
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
  assert {:layer 2} InBag(elt, valid, spare, bag);
  i := 0;
  found := false;
  while (i < slots)
  invariant {:layer 1} FreeIsNull(elt, valid, spare);
  invariant {:layer 2} InBag(elt, valid, spare, bag);
  invariant {:layer 1,2} 0 <= i && !found;
  {
    call Acquire(tid, i);
    call found := Counts(tid, i, x);
    call Release(tid, i);
    if (found) { break; }
    yield;
    assert {:layer 1} FreeIsNull(elt, valid, spare);
    assert {:layer 2} InBag(elt, valid, spare, bag);
    i := i + 1;
  }
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
  assert {:layer 2} InBag(elt, valid, spare, bag);
}

procedure {:layer 2} {:inline 1} NotePair(i: int, x: int, j: int, y: int)
modifies bag;
{ bag[i] := x; bag[j] := y; }

// ---- layer 1: finding a slot ----

function {:inline} FreeIsNull(elt: [int]int, valid: [int]bool, spare: [int]bool): bool
{ (forall i: int :: InRange(i) ==> (spare[i] <==> elt[i] == null) && (spare[i] ==> !valid[i])) }

procedure {:right} {:layer 2}
  AtomicFindSlot({:linear "tid"} tid: Tid, x: int) returns (r: int, {:linear "slot"} p: [int]bool)
modifies elt, spare;
{
  assert x != null;
  if (*)
  {
    assume InRange(r) && spare[r] && !valid[r];
    spare[r] := false;
    elt[r] := x;
    p := NoSlot()[r := true];
  }
  else
  {
    r := -1;
    p := NoSlot();
  }
}

procedure {:yields} {:layer 1} {:refines "AtomicFindSlot"}
  FindSlot({:linear "tid"} tid: Tid, x: int) returns (r: int, {:linear "slot"} p: [int]bool)
requires {:layer 1} tid != nobody && x != null;
requires {:layer 1} FreeIsNull(elt, valid, spare);
ensures {:layer 1} FreeIsNull(elt, valid, spare);
ensures {:layer 1} r == -1 || (InRange(r) && p == NoSlot()[r := true] && elt[r] == x && !valid[r]);
{
  var i, e: int;
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
  i := 0;
  while (i < slots)
  invariant {:layer 1} FreeIsNull(elt, valid, spare);
  invariant {:layer 1} 0 <= i;
  {
    call Acquire(tid, i);
    call e := ReadElt(tid, i);
    if (e == null)
    {
      call p := Reserve(tid, i, x);
      call Release(tid, i);
      r := i;
      yield;
      assert {:layer 1} FreeIsNull(elt, valid, spare);
      assert {:layer 1} InRange(r) && p == NoSlot()[r := true] && elt[r] == x && !valid[r];
      return;
    }
    call Release(tid, i);
    yield;
    assert {:layer 1} FreeIsNull(elt, valid, spare);
    i := i + 1;
  }
  r := -1;
  call p := NoPermission();
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
}

procedure {:left} {:layer 2} AtomicGiveBack({:linear "tid"} tid: Tid, i: int, {:linear_in "slot"} p: [int]bool)
modifies elt, spare;
{ assert tid != nobody && InRange(i) && p == NoSlot()[i := true] && !valid[i]; elt[i] := null; spare[i] := true; }

procedure {:yields} {:layer 1} {:refines "AtomicGiveBack"}
  GiveBack({:linear "tid"} tid: Tid, i: int, {:linear_in "slot"} p: [int]bool)
requires {:layer 1} FreeIsNull(elt, valid, spare);
ensures {:layer 1} FreeIsNull(elt, valid, spare);
{
  var {:linear "slot"} mine: [int]bool;
  mine := p;
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
  assert {:layer 1} mine == p;
  call Acquire(tid, i);
  call Clear(tid, i, mine);
  call Release(tid, i);
  yield;
  assert {:layer 1} FreeIsNull(elt, valid, spare);
}

// ---- layer 0: the machine ----

procedure {:right} {:layer 1,2} AtomicAcquire({:linear "tid"} tid: Tid, i: int)
modifies lock;
{ assert tid != nobody && InRange(i); assume lock[i] == nobody; lock[i] := tid; }
procedure {:yields} {:layer 0} {:refines "AtomicAcquire"} Acquire({:linear "tid"} tid: Tid, i: int);

procedure {:left} {:layer 1,2} AtomicRelease({:linear "tid"} tid: Tid, i: int)
modifies lock;
{ assert tid != nobody && lock[i] == tid; lock[i] := nobody; }
procedure {:yields} {:layer 0} {:refines "AtomicRelease"} Release({:linear "tid"} tid: Tid, i: int);

procedure {:both} {:layer 1} AtomicReadElt({:linear "tid"} tid: Tid, i: int) returns (e: int)
{ assert tid != nobody && lock[i] == tid; e := elt[i]; }
procedure {:yields} {:layer 0} {:refines "AtomicReadElt"} ReadElt({:linear "tid"} tid: Tid, i: int) returns (e: int);

// A store of the element. The permission that comes with it is what the proof gets.
procedure {:both} {:layer 1}
  AtomicReserve({:linear "tid"} tid: Tid, i: int, x: int) returns ({:linear "slot"} p: [int]bool)
modifies elt, spare;
{ assert tid != nobody && lock[i] == tid; assert spare[i]; elt[i] := x; spare[i] := false; p := NoSlot()[i := true]; }
procedure {:yields} {:layer 0} {:refines "AtomicReserve"}
  Reserve({:linear "tid"} tid: Tid, i: int, x: int) returns ({:linear "slot"} p: [int]bool);

procedure {:both} {:layer 1} AtomicClear({:linear "tid"} tid: Tid, i: int, {:linear_in "slot"} p: [int]bool)
modifies elt, spare;
{ assert tid != nobody && lock[i] == tid && p == NoSlot()[i := true]; elt[i] := null; spare[i] := true; }
procedure {:yields} {:layer 0} {:refines "AtomicClear"}
  Clear({:linear "tid"} tid: Tid, i: int, {:linear_in "slot"} p: [int]bool);

procedure {:both} {:layer 1,2} AtomicSetValid({:linear "tid"} tid: Tid, i: int, {:linear_in "slot"} p: [int]bool)
modifies valid;
{ assert tid != nobody && lock[i] == tid && p == NoSlot()[i := true]; valid[i] := true; }
procedure {:yields} {:layer 0} {:refines "AtomicSetValid"}
  SetValid({:linear "tid"} tid: Tid, i: int, {:linear_in "slot"} p: [int]bool);

procedure {:both} {:layer 1,2} AtomicCounts({:linear "tid"} tid: Tid, i: int, x: int) returns (yes: bool)
{ assert tid != nobody && lock[i] == tid; yes := valid[i] && elt[i] == x; }
procedure {:yields} {:layer 0} {:refines "AtomicCounts"}
  Counts({:linear "tid"} tid: Tid, i: int, x: int) returns (yes: bool);

// Nothing for the machine to do: a linear variable needs a value on each path.
procedure {:both} {:layer 1} AtomicNoPermission() returns ({:linear "slot"} p: [int]bool)
{ p := NoSlot(); }
procedure {:yields} {:layer 0} {:refines "AtomicNoPermission"} NoPermission() returns ({:linear "slot"} p: [int]bool);

// ---- which permissions a value stands for ----

function {:builtin "MapConst"} AllTids(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(t: Tid): [Tid]bool
{ AllTids(false)[t := true] }
function {:builtin "MapConst"} AllSlots(bool): [int]bool;
function {:inline} NoSlot(): [int]bool
{ AllSlots(false) }
function {:inline} {:linear "slot"} SlotCollector(s: [int]bool): [int]bool
{ s }
