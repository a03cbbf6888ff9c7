// store.bpl: a value with the stamp of who wrote it, behind a lock. A module of three; see server.bpl.
//
//   layer 0   the machine: a word that says who has the lock, a value, a stamp
//   layer 1   Acquire: a loop around compare-and-swap. Release
//   layer 2   Set: the latest stamp wins. Await: the value, once its stamp is late enough
//
// The lock is this module's and nobody else's. The value and its stamp are the server's from layer 3 on.

type Tid;
const nobody: Tid;

var {:layer 0,2} holder: Tid;                     // who has the lock
var {:layer 0,4} {:owner "server", 3} value: int;
var {:layer 0,4} {:owner "server", 3} stamp: int; // only grows

// ---- layer 2: the operations ----

procedure {:atomic} {:layer 3} AtomicSet({:linear "tid"} tid: Tid, v: int, t: int)
modifies value, stamp;
{ if (stamp < t) { value := v; stamp := t; } }

procedure {:yields} {:layer 2} {:refines "AtomicSet"} Set({:linear "tid"} tid: Tid, v: int, t: int)
requires {:layer 1,2} tid != nobody;
{
  var s: int;
  yield;
  call Acquire(tid);
  call s := ReadStamp(tid);
  if (s < t)
  {
    call WriteValue(tid, v);
    call WriteStamp(tid, t);
  }
  call Release(tid);
  yield;
}

procedure {:atomic} {:layer 3} AtomicAwait({:linear "tid"} tid: Tid, t: int) returns (v: int)
{ assume t <= stamp; v := value; }

procedure {:yields} {:layer 2} {:refines "AtomicAwait"} Await({:linear "tid"} tid: Tid, t: int) returns (v: int)
requires {:layer 1,2} tid != nobody;
{
  var s: int;
  yield;
  while (true)
  {
    call s := PeekStamp();
    if (t <= s) { break; }
    yield;
  }
  yield;
  assert {:layer 2} t <= s && s <= stamp;
  call Acquire(tid);
  call v := ReadValue(tid);
  call Release(tid);
  yield;
}

// ---- layer 1: the lock ----

procedure {:right} {:layer 2} AtomicAcquire({:linear "tid"} tid: Tid)
modifies holder;
{ assert tid != nobody; assume holder == nobody; holder := tid; }

procedure {:yields} {:layer 1} {:refines "AtomicAcquire"} Acquire({:linear "tid"} tid: Tid)
requires {:layer 1} tid != nobody;
ensures {:layer 1} holder == tid;
{
  var ok: bool;
  yield;
  while (true)
  {
    call ok := SwapHolder(tid);
    if (ok) { break; }
    yield;
  }
  yield;
  assert {:layer 1} holder == tid && tid != nobody;
}

procedure {:left} {:layer 2} AtomicRelease({:linear "tid"} tid: Tid)
modifies holder;
{ assert tid != nobody && holder == tid; holder := nobody; }

procedure {:yields} {:layer 1} {:refines "AtomicRelease"} Release({:linear "tid"} tid: Tid)
requires {:layer 1} tid != nobody && holder == tid;
{
  yield;
  assert {:layer 1} tid != nobody && holder == tid;
  call ClearHolder(tid);
  yield;
}

// ---- layer 0: the machine ----

procedure {:atomic} {:layer 1} AtomicSwapHolder(tid: Tid) returns (ok: bool)
modifies holder;
{ ok := holder == nobody; if (ok) { holder := tid; } }
procedure {:yields} {:layer 0} {:refines "AtomicSwapHolder"} SwapHolder(tid: Tid) returns (ok: bool);

procedure {:atomic} {:layer 1} AtomicClearHolder({:linear "tid"} tid: Tid)
modifies holder;
{ assert holder == tid; holder := nobody; }
procedure {:yields} {:layer 0} {:refines "AtomicClearHolder"} ClearHolder({:linear "tid"} tid: Tid);

procedure {:both} {:layer 1,2} AtomicReadValue({:linear "tid"} tid: Tid) returns (v: int)
{ assert holder == tid && tid != nobody; v := value; }
procedure {:yields} {:layer 0} {:refines "AtomicReadValue"} ReadValue({:linear "tid"} tid: Tid) returns (v: int);

procedure {:both} {:layer 1,2} AtomicWriteValue({:linear "tid"} tid: Tid, v: int)
modifies value;
{ assert holder == tid && tid != nobody; value := v; }
procedure {:yields} {:layer 0} {:refines "AtomicWriteValue"} WriteValue({:linear "tid"} tid: Tid, v: int);

procedure {:both} {:layer 1,2} AtomicReadStamp({:linear "tid"} tid: Tid) returns (t: int)
{ assert holder == tid && tid != nobody; t := stamp; }
procedure {:yields} {:layer 0} {:refines "AtomicReadStamp"} ReadStamp({:linear "tid"} tid: Tid) returns (t: int);

// No mover: PeekStamp looks without the lock.
procedure {:atomic} {:layer 1,2} AtomicWriteStamp({:linear "tid"} tid: Tid, t: int)
modifies stamp;
{ assert holder == tid && tid != nobody; stamp := t; }
procedure {:yields} {:layer 0} {:refines "AtomicWriteStamp"} WriteStamp({:linear "tid"} tid: Tid, t: int);

procedure {:atomic} {:layer 1,2} AtomicPeekStamp() returns (t: int)
{ t := stamp; }
procedure {:yields} {:layer 0} {:refines "AtomicPeekStamp"} PeekStamp() returns (t: int);

// ---- thread identifiers cannot be copied ----

function {:builtin "MapConst"} AllTids(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(t: Tid): [Tid]bool
{ AllTids(false)[t := true] }
