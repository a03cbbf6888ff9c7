// write_barrier.bpl: the write barrier of a garbage collector (Fig. 1 of the CIVL paper).
//
// While the collector marks what is in use, a thread that stores a pointer to an object must make sure that the
// collector will see the object: if it is white, it becomes gray. Colors only get darker while this goes on.
//
//   layer 0   the lock, the color read and written
//   layer 1   WBSlow: under the lock, look and darken. One atomic step for its callers; the lock is hidden above
//   layer 2   WB: look without the lock first, take the slow way only if the object looks white
//   layer 3   a mutator that stores pointers, a collector that blackens, side by side

type Tid;
const nobody: Tid;

function {:inline} UNALLOC(): int { 0 }
function {:inline} WHITE(): int { 1 }
function {:inline} GRAY(): int { 2 }
function {:inline} BLACK(): int { 3 }

var {:layer 0,1} lock: Tid;   // who holds the object's lock
var {:layer 0,3} Color: int;  // the color of the one object that we look at

// ---- layer 3: mutators and the collector ----

procedure {:yields} {:layer 3} Mutator({:linear "tid"} tid: Tid)
requires {:layer 1,2,3} tid != nobody;
requires {:layer 2,3} Color >= WHITE();
{
  yield;
  assert {:layer 2,3} Color >= WHITE();
  call WB(tid);
  // here the pointer would be stored: nothing that is reachable may be white now
  yield;
  assert {:layer 3} Color >= GRAY();
}

procedure {:yields} {:layer 3} Collector({:linear "tid"} tid: Tid)
requires {:layer 1,2,3} tid != nobody;
{
  yield;
  while (*)
  {
    call Blacken(tid);
    yield;
  }
  yield;
}

procedure {:yields} {:layer 3} Main({:linear "tid"} m: Tid, {:linear "tid"} n: Tid, {:linear "tid"} c: Tid)
requires {:layer 1,2,3} m != nobody && n != nobody && c != nobody;
requires {:layer 2,3} Color >= WHITE();
{
  par Mutator(m) | Mutator(n) | Collector(c);
}

// ---- layer 2: the barrier ----

procedure {:atomic} {:layer 3} AtomicWB({:linear "tid"} tid: Tid)
modifies Color;
{ assert tid != nobody; if (Color == WHITE()) { Color := GRAY(); } }

// The specification above tests == WHITE, that of WBSlow <= WHITE: they differ for an object that is not allocated.
// That the barrier is never called for one, and that colors only get darker, is said by the precondition and by the
// predicates after the yields; without them the refinement does not hold.
procedure {:yields} {:layer 2} {:refines "AtomicWB"} WB({:linear "tid"} tid: Tid)
requires {:layer 1,2} tid != nobody;
requires {:layer 2} Color >= WHITE();
ensures {:layer 2} Color >= GRAY();
{
  var cNoLock: int;
  yield;
  assert {:layer 2} Color >= WHITE();
  call cNoLock := GetColorNoLock();
  yield;
  assert {:layer 2} Color >= WHITE() && Color >= cNoLock;
  if (cNoLock <= WHITE()) { call WBSlow(tid); }
  yield;
  assert {:layer 2} Color >= GRAY();
}

procedure {:atomic} {:layer 3} AtomicBlacken({:linear "tid"} tid: Tid)
modifies Color;
{ assert tid != nobody; if (Color == GRAY()) { Color := BLACK(); } }

procedure {:yields} {:layer 2} {:refines "AtomicBlacken"} Blacken({:linear "tid"} tid: Tid)
requires {:layer 1,2} tid != nobody;
{
  yield;
  call BlackenSlow(tid);
  yield;
}

// ---- layer 1: under the lock ----

procedure {:atomic} {:layer 2} AtomicWBSlow({:linear "tid"} tid: Tid)
modifies Color;
{ assert tid != nobody; if (Color <= WHITE()) { Color := GRAY(); } }

// Right, both, non-mover, left: the whole body is one transaction.
procedure {:yields} {:layer 1} {:refines "AtomicWBSlow"} WBSlow({:linear "tid"} tid: Tid)
requires {:layer 1} tid != nobody;
{
  var cLock: int;
  yield;
  call AcquireLock(tid);
  call cLock := GetColorLocked(tid);
  if (cLock <= WHITE()) { call SetColorLocked(tid, GRAY()); }
  call ReleaseLock(tid);
  yield;
}

procedure {:atomic} {:layer 2} AtomicBlackenSlow({:linear "tid"} tid: Tid)
modifies Color;
{ assert tid != nobody; if (Color == GRAY()) { Color := BLACK(); } }

procedure {:yields} {:layer 1} {:refines "AtomicBlackenSlow"} BlackenSlow({:linear "tid"} tid: Tid)
requires {:layer 1} tid != nobody;
{
  var cLock: int;
  yield;
  call AcquireLock(tid);
  call cLock := GetColorLocked(tid);
  if (cLock == GRAY()) { call SetColorLocked(tid, BLACK()); }
  call ReleaseLock(tid);
  yield;
}

// ---- layer 0: the machine ----

procedure {:right} {:layer 1} AtomicAcquireLock({:linear "tid"} tid: Tid)
modifies lock;
{ assert tid != nobody; assume lock == nobody; lock := tid; }
procedure {:yields} {:layer 0} {:refines "AtomicAcquireLock"} AcquireLock({:linear "tid"} tid: Tid);

procedure {:left} {:layer 1} AtomicReleaseLock({:linear "tid"} tid: Tid)
modifies lock;
{ assert tid != nobody && lock == tid; lock := nobody; }
procedure {:yields} {:layer 0} {:refines "AtomicReleaseLock"} ReleaseLock({:linear "tid"} tid: Tid);

procedure {:both} {:layer 1} AtomicGetColorLocked({:linear "tid"} tid: Tid) returns (c: int)
{ assert tid != nobody && lock == tid; c := Color; }
procedure {:yields} {:layer 0} {:refines "AtomicGetColorLocked"}
  GetColorLocked({:linear "tid"} tid: Tid) returns (c: int);

// No mover: GetColorNoLock looks without the lock.
procedure {:atomic} {:layer 1} AtomicSetColorLocked({:linear "tid"} tid: Tid, c: int)
modifies Color;
{ assert tid != nobody && lock == tid; Color := c; }
procedure {:yields} {:layer 0} {:refines "AtomicSetColorLocked"} SetColorLocked({:linear "tid"} tid: Tid, c: int);

procedure {:atomic} {:layer 1,2} AtomicGetColorNoLock() returns (c: int)
{ c := Color; }
procedure {:yields} {:layer 0} {:refines "AtomicGetColorNoLock"} GetColorNoLock() returns (c: int);

// ---- thread identifiers cannot be copied ----

function {:builtin "MapConst"} AllTids(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(t: Tid): [Tid]bool
{ AllTids(false)[t := true] }
