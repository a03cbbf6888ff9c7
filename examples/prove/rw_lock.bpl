// rw_lock.bpl: a lock for many readers or one writer, in one word that is changed by compare-and-swap.
//
//   layer 0   the word: a bit for each thread that reads and one bit, busy, for a writer; two fields that belong
//             together
//   layer 1   the four operations of the lock. The bit busy is hidden; who writes is known instead
//   layer 2   Set and Get: lock, both fields, unlock. Each is one atomic step for its callers
//   layer 3   clients: a reader never sees one field new and the other one old

type Tid;
const nobody: Tid;

var {:layer 0,2} reading: [Tid]bool;  // the word's bits for readers
var {:layer 0,1} busy: bool;          // the word's bit for a writer
var {:layer 1,2} writer: Tid;         // for the proof: who has the lock for writing
var {:layer 0,3} first: int;          // the data: always twice the same, for who may look
var {:layer 0,3} second: int;

// ---- layer 3: clients ----

procedure {:yields} {:layer 3} Writer({:linear "tid"} tid: Tid, v: int)
requires {:layer 1} Inv(reading, busy, writer);
requires {:layer 1,2} tid != nobody;
requires {:layer 1,2} !reading[tid];
requires {:layer 3} first == second;
{
  yield;
  assert {:layer 1} Inv(reading, busy, writer);
  assert {:layer 1,2} !reading[tid];
  assert {:layer 3} first == second;
  call Set(tid, v);
  yield;
  assert {:layer 3} first == second;
}

procedure {:yields} {:layer 3} Reader({:linear "tid"} tid: Tid)
requires {:layer 1} Inv(reading, busy, writer);
requires {:layer 1,2} tid != nobody;
requires {:layer 1,2} !reading[tid];
requires {:layer 3} first == second;
{
  var a, b: int;
  yield;
  assert {:layer 1} Inv(reading, busy, writer);
  assert {:layer 1,2} !reading[tid];
  assert {:layer 3} first == second;
  call a, b := Get(tid);
  assert {:layer 3} a == b;
  yield;
}

// ---- layer 2: the operations ----

procedure {:atomic} {:layer 3} AtomicSet({:linear "tid"} tid: Tid, v: int)
modifies first, second;
{ first := v; second := v; }

procedure {:yields} {:layer 2} {:refines "AtomicSet"} Set({:linear "tid"} tid: Tid, v: int)
requires {:layer 1} Inv(reading, busy, writer);
requires {:layer 1,2} tid != nobody;
requires {:layer 1,2} !reading[tid];
{
  yield;
  assert {:layer 1} Inv(reading, busy, writer);
  assert {:layer 1,2} !reading[tid];
  call BeginWrite(tid);
  call WriteFirst(tid, v);
  call WriteSecond(tid, v);
  call EndWrite(tid);
  yield;
}

procedure {:atomic} {:layer 3} AtomicGet({:linear "tid"} tid: Tid) returns (a: int, b: int)
{ a := first; b := second; }

procedure {:yields} {:layer 2} {:refines "AtomicGet"} Get({:linear "tid"} tid: Tid) returns (a: int, b: int)
requires {:layer 1} Inv(reading, busy, writer);
requires {:layer 1,2} tid != nobody;
requires {:layer 1,2} !reading[tid];
{
  yield;
  assert {:layer 1} Inv(reading, busy, writer);
  assert {:layer 1,2} !reading[tid];
  call BeginRead(tid);
  call a := ReadFirst(tid);
  call b := ReadSecond(tid);
  call EndRead(tid);
  yield;
}

// ---- layer 1: the lock ----

function {:inline} Inv(reading: [Tid]bool, busy: bool, writer: Tid): bool
{ (busy <==> writer != nobody) && (busy ==> reading == AllTids(false)) }

procedure {:right} {:layer 2} AtomicBeginRead({:linear "tid"} tid: Tid)
modifies reading;
{ assert tid != nobody && !reading[tid]; assume writer == nobody; reading[tid] := true; }

procedure {:yields} {:layer 1} {:refines "AtomicBeginRead"} BeginRead({:linear "tid"} tid: Tid)
requires {:layer 1} Inv(reading, busy, writer) && tid != nobody && !reading[tid];
ensures {:layer 1} Inv(reading, busy, writer) && reading[tid];
{
  var bits: [Tid]bool;
  var b, ok: bool;
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && !reading[tid];
  while (true)
  invariant {:layer 1} Inv(reading, busy, writer) && !reading[tid];
  {
    call bits, b := ReadWord();
    yield;
    assert {:layer 1} Inv(reading, busy, writer) && !reading[tid];
    if (!b)
    {
      call ok := Swap(bits, false, bits[tid := true], false);
      if (ok) { break; }
      yield;
      assert {:layer 1} Inv(reading, busy, writer) && !reading[tid];
    }
  }
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && reading[tid];
}

// The gate says more than that this thread reads: nobody writes meanwhile. Who calls knows it, and without it the
// action would be no left mover: it would turn the failing gate of an AtomicWriteFirst into one that holds.
procedure {:left} {:layer 2} AtomicEndRead({:linear "tid"} tid: Tid)
modifies reading;
{ assert tid != nobody && reading[tid] && writer == nobody; reading[tid] := false; }

procedure {:yields} {:layer 1} {:refines "AtomicEndRead"} EndRead({:linear "tid"} tid: Tid)
requires {:layer 1} Inv(reading, busy, writer) && reading[tid];
ensures {:layer 1} Inv(reading, busy, writer) && !reading[tid];
{
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && reading[tid];
  call ClearBit(tid);
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && !reading[tid];
}

procedure {:right} {:layer 2} AtomicBeginWrite({:linear "tid"} tid: Tid)
modifies writer;
{ assert tid != nobody; assume writer == nobody && reading == AllTids(false); writer := tid; }

procedure {:yields} {:layer 1} {:refines "AtomicBeginWrite"} BeginWrite({:linear "tid"} tid: Tid)
requires {:layer 1} Inv(reading, busy, writer) && tid != nobody;
ensures {:layer 1} Inv(reading, busy, writer) && writer == tid;
{
  var ok: bool;
  yield;
  assert {:layer 1} Inv(reading, busy, writer);
  while (true)
  invariant {:layer 1} Inv(reading, busy, writer);
  {
    call ok := Swap(AllTids(false), false, AllTids(false), true);
    if (ok) { call NoteWriter(tid); break; }
    yield;
    assert {:layer 1} Inv(reading, busy, writer);
  }
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && writer == tid && tid != nobody;
}

procedure {:left} {:layer 2} AtomicEndWrite({:linear "tid"} tid: Tid)
modifies writer;
{ assert tid != nobody && writer == tid && reading == AllTids(false); writer := nobody; }

procedure {:yields} {:layer 1} {:refines "AtomicEndWrite"} EndWrite({:linear "tid"} tid: Tid)
requires {:layer 1} Inv(reading, busy, writer) && writer == tid && tid != nobody;
ensures {:layer 1} Inv(reading, busy, writer);
{
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && writer == tid && tid != nobody;
  call ClearBusy();
  call NoteWriter(nobody);
  yield;
  assert {:layer 1} Inv(reading, busy, writer);
}

procedure {:layer 1} {:inline 1} NoteWriter(t: Tid)
modifies writer;
{ writer := t; }

// The fields. A gate of a reader and a gate of a writer cannot hold at once, so all are both movers.
procedure {:both} {:layer 2} AtomicReadFirst({:linear "tid"} tid: Tid) returns (v: int)
{ assert tid != nobody && reading[tid] && writer == nobody; v := first; }
procedure {:yields} {:layer 1} {:refines "AtomicReadFirst"} ReadFirst({:linear "tid"} tid: Tid) returns (v: int)
requires {:layer 1} Inv(reading, busy, writer) && reading[tid];
ensures {:layer 1} Inv(reading, busy, writer) && reading[tid];
{
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && reading[tid];
  call v := LoadFirst();
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && reading[tid];
}

procedure {:both} {:layer 2} AtomicReadSecond({:linear "tid"} tid: Tid) returns (v: int)
{ assert tid != nobody && reading[tid] && writer == nobody; v := second; }
procedure {:yields} {:layer 1} {:refines "AtomicReadSecond"} ReadSecond({:linear "tid"} tid: Tid) returns (v: int)
requires {:layer 1} Inv(reading, busy, writer) && reading[tid];
ensures {:layer 1} Inv(reading, busy, writer) && reading[tid];
{
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && reading[tid];
  call v := LoadSecond();
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && reading[tid];
}

procedure {:both} {:layer 2} AtomicWriteFirst({:linear "tid"} tid: Tid, v: int)
modifies first;
{ assert tid != nobody && writer == tid && reading == AllTids(false); first := v; }
procedure {:yields} {:layer 1} {:refines "AtomicWriteFirst"} WriteFirst({:linear "tid"} tid: Tid, v: int)
requires {:layer 1} Inv(reading, busy, writer) && writer == tid && tid != nobody;
ensures {:layer 1} Inv(reading, busy, writer) && writer == tid;
{
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && writer == tid && tid != nobody;
  call StoreFirst(v);
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && writer == tid && tid != nobody;
}

procedure {:both} {:layer 2} AtomicWriteSecond({:linear "tid"} tid: Tid, v: int)
modifies second;
{ assert tid != nobody && writer == tid && reading == AllTids(false); second := v; }
procedure {:yields} {:layer 1} {:refines "AtomicWriteSecond"} WriteSecond({:linear "tid"} tid: Tid, v: int)
requires {:layer 1} Inv(reading, busy, writer) && writer == tid && tid != nobody;
ensures {:layer 1} Inv(reading, busy, writer) && writer == tid;
{
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && writer == tid && tid != nobody;
  call StoreSecond(v);
  yield;
  assert {:layer 1} Inv(reading, busy, writer) && writer == tid && tid != nobody;
}

// ---- layer 0: the machine ----

procedure {:atomic} {:layer 1} AtomicReadWord() returns (bits: [Tid]bool, b: bool)
{ bits := reading; b := busy; }
procedure {:yields} {:layer 0} {:refines "AtomicReadWord"} ReadWord() returns (bits: [Tid]bool, b: bool);

procedure {:atomic} {:layer 1} AtomicSwap(bits: [Tid]bool, b: bool, new_bits: [Tid]bool, new_b: bool) returns (ok: bool)
modifies reading, busy;
{ ok := reading == bits && busy == b; if (ok) { reading := new_bits; busy := new_b; } }
procedure {:yields} {:layer 0} {:refines "AtomicSwap"}
  Swap(bits: [Tid]bool, b: bool, new_bits: [Tid]bool, new_b: bool) returns (ok: bool);

procedure {:atomic} {:layer 1} AtomicClearBit(t: Tid)
modifies reading;
{ reading[t] := false; }
procedure {:yields} {:layer 0} {:refines "AtomicClearBit"} ClearBit(t: Tid);

procedure {:atomic} {:layer 1} AtomicClearBusy()
modifies busy;
{ busy := false; }
procedure {:yields} {:layer 0} {:refines "AtomicClearBusy"} ClearBusy();

procedure {:atomic} {:layer 1} AtomicLoadFirst() returns (v: int)
{ v := first; }
procedure {:yields} {:layer 0} {:refines "AtomicLoadFirst"} LoadFirst() returns (v: int);

procedure {:atomic} {:layer 1} AtomicLoadSecond() returns (v: int)
{ v := second; }
procedure {:yields} {:layer 0} {:refines "AtomicLoadSecond"} LoadSecond() returns (v: int);

procedure {:atomic} {:layer 1} AtomicStoreFirst(v: int)
modifies first;
{ first := v; }
procedure {:yields} {:layer 0} {:refines "AtomicStoreFirst"} StoreFirst(v: int);

procedure {:atomic} {:layer 1} AtomicStoreSecond(v: int)
modifies second;
{ second := v; }
procedure {:yields} {:layer 0} {:refines "AtomicStoreSecond"} StoreSecond(v: int);

// ---- thread identifiers cannot be copied ----

function {:builtin "MapConst"} AllTids(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(t: Tid): [Tid]bool
{ AllTids(false)[t := true] }
