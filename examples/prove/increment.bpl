// increment.bpl: a counter behind a spin lock, proved in three layers.
//
//   layer 0   what the machine does: compare-and-swap, load, store
//   layer 1   Acquire and Release made of these; who holds the lock becomes a variable of the proof
//   layer 2   Increment and Wrap, made of lock, load, store, unlock; each is one atomic step for its callers
//   layer 3   a server that uses them, and what it may rely on
//
// A variable {:layer a,b} appears at layer a and is hidden above layer b. A procedure {:layer n} is code at the
// layers up to n; above, only the action that it refines is left of it.

type Tid;
const nobody: Tid;

var {:layer 0,1} word: bool;  // the lock, as the machine knows it
var {:layer 1,2} owner: Tid;  // who holds it: no bit of memory says so, only the proof does
var {:layer 0,3} hits: int;   // the counter

const limit: int;             // so many hits make a round
axiom 0 < limit;

// ---- layer 3: two servers ----

// All that a server may rely on while others run: the counter is never negative.
procedure {:yields} {:layer 3} Server({:linear "tid"} tid: Tid)
requires {:layer 1} LockIsOwned(word, owner) && tid != nobody;
requires {:layer 2} tid != nobody;
requires {:layer 3} 0 <= hits;
{
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
  assert {:layer 3} 0 <= hits;
  while (*)
  invariant {:layer 1} LockIsOwned(word, owner);
  invariant {:layer 3} 0 <= hits;
  {
    call Increment(tid);
    yield;
    assert {:layer 1} LockIsOwned(word, owner);
    assert {:layer 3} 0 <= hits;
    call Wrap(tid);
    yield;
    assert {:layer 1} LockIsOwned(word, owner);
    assert {:layer 3} 0 <= hits;
  }
  yield;
}

procedure {:yields} {:layer 3} Main({:linear "tid"} a: Tid, {:linear "tid"} b: Tid)
requires {:layer 1} LockIsOwned(word, owner) && a != nobody && b != nobody;
requires {:layer 2} a != nobody && b != nobody;
requires {:layer 3} 0 <= hits;
{
  par Server(a) | Server(b);
}

// ---- layer 2: the two operations ----

procedure {:atomic} {:layer 3} AtomicIncrement({:linear "tid"} tid: Tid)
modifies hits;
{ hits := hits + 1; }

// Right mover, both mover, non-mover, left mover: one transaction, so no yield is needed inside.
procedure {:yields} {:layer 2} {:refines "AtomicIncrement"} Increment({:linear "tid"} tid: Tid)
requires {:layer 1} LockIsOwned(word, owner) && tid != nobody;
requires {:layer 2} tid != nobody;
ensures  {:layer 1} LockIsOwned(word, owner);
{
  var v: int;
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
  call Acquire(tid);
  call v := LoadLocked(tid);
  call StoreLocked(tid, v + 1);
  call Release(tid);
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
}

procedure {:atomic} {:layer 3} AtomicWrap({:linear "tid"} tid: Tid)
modifies hits;
{ if (limit <= hits) { hits := hits - limit; } }

// A full round is taken off the counter. Most calls find nothing to do, so the first look is without the lock. What
// it saw may be old when the lock is ours: it has to be looked at again.
procedure {:yields} {:layer 2} {:refines "AtomicWrap"} Wrap({:linear "tid"} tid: Tid)
requires {:layer 1} LockIsOwned(word, owner) && tid != nobody;
requires {:layer 2} tid != nobody;
ensures  {:layer 1} LockIsOwned(word, owner);
{
  var v: int;
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
  call v := Peek();
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
  if (limit <= v)
  {
    call Acquire(tid);
    call v := LoadLocked(tid);
    if (limit <= v) { call StoreLocked(tid, v - limit); }
    call Release(tid);
  }
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
}

// ---- layer 1: the lock, and accesses that say that they need it ----

// The word says that someone holds the lock, the ghost variable says who: this joins them.
function {:inline} LockIsOwned(word: bool, owner: Tid): bool
{ word <==> owner != nobody }

procedure {:right} {:layer 2} AtomicAcquire({:linear "tid"} tid: Tid)
modifies owner;
{ assert tid != nobody; assume owner == nobody; owner := tid; }

procedure {:yields} {:layer 1} {:refines "AtomicAcquire"} Acquire({:linear "tid"} tid: Tid)
requires {:layer 1} LockIsOwned(word, owner) && tid != nobody;
ensures  {:layer 1} LockIsOwned(word, owner);
{
  var ok: bool;
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
  while (true)
  invariant {:layer 1} LockIsOwned(word, owner);
  {
    call ok := Swap(false, true);
    if (ok) { call SetOwner(tid); break; }
    yield;
    assert {:layer 1} LockIsOwned(word, owner);
  }
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
}

procedure {:left} {:layer 2} AtomicRelease({:linear "tid"} tid: Tid)
modifies owner;
{ assert tid != nobody && owner == tid; owner := nobody; }

procedure {:yields} {:layer 1} {:refines "AtomicRelease"} Release({:linear "tid"} tid: Tid)
requires {:layer 1} LockIsOwned(word, owner);
ensures  {:layer 1} LockIsOwned(word, owner);
{
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
  call Clear();
  call SetOwner(nobody);
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
}

// With the lock in hand a load commutes with all that others may do: a both mover. The gate, the assertion at the
// beginning, is what makes it one, and each caller has to prove it.
procedure {:both} {:layer 2} AtomicLoadLocked({:linear "tid"} tid: Tid) returns (v: int)
{ assert tid != nobody && owner == tid; v := hits; }

procedure {:yields} {:layer 1} {:refines "AtomicLoadLocked"} LoadLocked({:linear "tid"} tid: Tid) returns (v: int)
requires {:layer 1} LockIsOwned(word, owner);
ensures  {:layer 1} LockIsOwned(word, owner);
{
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
  call v := Load();
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
}

// A store does not commute with Peek, which needs no lock: so it is no mover.
procedure {:atomic} {:layer 2} AtomicStoreLocked({:linear "tid"} tid: Tid, v: int)
modifies hits;
{ assert tid != nobody && owner == tid; hits := v; }

procedure {:yields} {:layer 1} {:refines "AtomicStoreLocked"} StoreLocked({:linear "tid"} tid: Tid, v: int)
requires {:layer 1} LockIsOwned(word, owner);
ensures  {:layer 1} LockIsOwned(word, owner);
{
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
  call Store(v);
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
}

procedure {:atomic} {:layer 2} AtomicPeek() returns (v: int)
{ v := hits; }

procedure {:yields} {:layer 1} {:refines "AtomicPeek"} Peek() returns (v: int)
requires {:layer 1} LockIsOwned(word, owner);
ensures  {:layer 1} LockIsOwned(word, owner);
{
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
  call v := Load();
  yield;
  assert {:layer 1} LockIsOwned(word, owner);
}

// An introduction procedure: it sets the variable that appears at this layer. No code is run for it.
procedure {:layer 1} {:inline 1} SetOwner(t: Tid)
modifies owner;
{ owner := t; }

// ---- layer 0: the machine ----

procedure {:atomic} {:layer 1} AtomicSwap(from: bool, to: bool) returns (ok: bool)
modifies word;
{ ok := word == from; if (ok) { word := to; } }
procedure {:yields} {:layer 0} {:refines "AtomicSwap"} Swap(from: bool, to: bool) returns (ok: bool);

procedure {:atomic} {:layer 1} AtomicClear()
modifies word;
{ word := false; }
procedure {:yields} {:layer 0} {:refines "AtomicClear"} Clear();

procedure {:atomic} {:layer 1} AtomicLoad() returns (v: int)
{ v := hits; }
procedure {:yields} {:layer 0} {:refines "AtomicLoad"} Load() returns (v: int);

procedure {:atomic} {:layer 1} AtomicStore(v: int)
modifies hits;
{ hits := v; }
procedure {:yields} {:layer 0} {:refines "AtomicStore"} Store(v: int);

// ---- thread identifiers cannot be copied ----

function {:builtin "MapConst"} AllTids(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(t: Tid): [Tid]bool
{ AllTids(false)[t := true] }
