// bounded_buffer.bpl: a ring of four places between producers and consumers, behind a lock.
//
//   layer 0   the lock, the places of the ring, the two counters
//   layer 1   Put and Get: lock, look, wait if there is no room or nothing to take, move one element, unlock
//   layer 2   the same over a queue without end: the ring and its arithmetic are hidden
//   layer 3   producers of positive numbers, consumers that rely on it

type Tid;
const nobody: Tid;

var {:layer 0,1} lock: Tid;           // who holds the lock
var {:layer 0,2} ring: [int]int;      // place i is ring[i], 0 <= i < 4
var {:layer 0,3} taken: int;          // how many elements were taken since the beginning
var {:layer 0,3} put: int;            // how many elements were put
var {:layer 2,3} queue: [int]int;     // element number i of all that were ever put

function {:inline} PLACES(): int { 4 }

// ---- layer 3: producers and consumers ----

function {:inline} AllPositive(queue: [int]int, taken: int, put: int): bool
{ (forall i: int :: {queue[i]} taken <= i && i < put ==> 0 < queue[i]) }

procedure {:yields} {:layer 3} Producer({:linear "tid"} tid: Tid)
requires {:layer 1,2} tid != nobody;
requires {:layer 2} Inv(ring, queue, taken, put);
requires {:layer 3} AllPositive(queue, taken, put);
{
  yield;
  assert {:layer 2} Inv(ring, queue, taken, put);
  assert {:layer 3} AllPositive(queue, taken, put);
  while (*)
  invariant {:layer 2} Inv(ring, queue, taken, put);
  invariant {:layer 3} AllPositive(queue, taken, put);
  {
    call Enqueue(tid, 17);
    yield;
    assert {:layer 2} Inv(ring, queue, taken, put);
    assert {:layer 3} AllPositive(queue, taken, put);
  }
  yield;
}

procedure {:yields} {:layer 3} Consumer({:linear "tid"} tid: Tid)
requires {:layer 1,2} tid != nobody;
requires {:layer 2} Inv(ring, queue, taken, put);
requires {:layer 3} AllPositive(queue, taken, put);
{
  var v: int;
  yield;
  assert {:layer 2} Inv(ring, queue, taken, put);
  assert {:layer 3} AllPositive(queue, taken, put);
  call v := Dequeue(tid);
  assert {:layer 3} 0 < v;
  yield;
}

// ---- layer 2: a queue without end ----

// Between the counters, the ring has what the queue has.
function {:inline} Inv(ring: [int]int, queue: [int]int, taken: int, put: int): bool
{
  0 <= taken && taken <= put && put <= taken + PLACES() &&
  (forall i: int :: {queue[i]} taken <= i && i < put ==> ring[i mod PLACES()] == queue[i])
}

procedure {:atomic} {:layer 3} AtomicEnqueue({:linear "tid"} tid: Tid, v: int)
modifies queue, put;
{ assume put < taken + PLACES(); queue[put] := v; put := put + 1; }

procedure {:yields} {:layer 2} {:refines "AtomicEnqueue"} Enqueue({:linear "tid"} tid: Tid, v: int)
requires {:layer 1,2} tid != nobody;
requires {:layer 2} Inv(ring, queue, taken, put);
ensures {:layer 2} Inv(ring, queue, taken, put);
{
  yield;
  assert {:layer 2} Inv(ring, queue, taken, put);
  call Put(tid, v);
  call NotePut(v);
  yield;
  assert {:layer 2} Inv(ring, queue, taken, put);
}

procedure {:atomic} {:layer 3} AtomicDequeue({:linear "tid"} tid: Tid) returns (v: int)
modifies taken;
{ assume taken < put; v := queue[taken]; taken := taken + 1; }

procedure {:yields} {:layer 2} {:refines "AtomicDequeue"} Dequeue({:linear "tid"} tid: Tid) returns (v: int)
requires {:layer 1,2} tid != nobody;
requires {:layer 2} Inv(ring, queue, taken, put);
ensures {:layer 2} Inv(ring, queue, taken, put);
{
  yield;
  assert {:layer 2} Inv(ring, queue, taken, put);
  call v := Get(tid);
  yield;
  assert {:layer 2} Inv(ring, queue, taken, put);
}

procedure {:layer 2} {:inline 1} NotePut(v: int)
modifies queue;
{ queue[put - 1] := v; }

// ---- layer 1: lock, look, move, unlock ----

procedure {:atomic} {:layer 2} AtomicPut({:linear "tid"} tid: Tid, v: int)
modifies ring, put;
{ assert tid != nobody; assume put < taken + PLACES(); ring[put mod PLACES()] := v; put := put + 1; }

procedure {:yields} {:layer 1} {:refines "AtomicPut"} Put({:linear "tid"} tid: Tid, v: int)
requires {:layer 1} tid != nobody;
{
  var t, p: int;
  yield;
  while (true)
  {
    call Acquire(tid);
    call t := ReadTaken(tid);
    call p := ReadPut(tid);
    if (p < t + PLACES())
    {
      call WritePlace(tid, p mod PLACES(), v);
      call WritePut(tid, p + 1);
      call Release(tid);
      break;
    }
    call Release(tid);   // full: let others take something
    yield;
  }
  yield;
}

procedure {:atomic} {:layer 2} AtomicGet({:linear "tid"} tid: Tid) returns (v: int)
modifies taken;
{ assert tid != nobody; assume taken < put; v := ring[taken mod PLACES()]; taken := taken + 1; }

procedure {:yields} {:layer 1} {:refines "AtomicGet"} Get({:linear "tid"} tid: Tid) returns (v: int)
requires {:layer 1} tid != nobody;
{
  var t, p: int;
  yield;
  while (true)
  {
    call Acquire(tid);
    call t := ReadTaken(tid);
    call p := ReadPut(tid);
    if (t < p)
    {
      call v := ReadPlace(tid, t mod PLACES());
      call WriteTaken(tid, t + 1);
      call Release(tid);
      break;
    }
    call Release(tid);   // empty: let others put something
    yield;
  }
  yield;
}

// ---- layer 0: the machine. All but the lock is touched by its holder only, so all are both movers ----

procedure {:right} {:layer 1} AtomicAcquire({:linear "tid"} tid: Tid)
modifies lock;
{ assert tid != nobody; assume lock == nobody; lock := tid; }
procedure {:yields} {:layer 0} {:refines "AtomicAcquire"} Acquire({:linear "tid"} tid: Tid);

procedure {:left} {:layer 1} AtomicRelease({:linear "tid"} tid: Tid)
modifies lock;
{ assert tid != nobody && lock == tid; lock := nobody; }
procedure {:yields} {:layer 0} {:refines "AtomicRelease"} Release({:linear "tid"} tid: Tid);

procedure {:both} {:layer 1} AtomicReadTaken({:linear "tid"} tid: Tid) returns (n: int)
{ assert tid != nobody && lock == tid; n := taken; }
procedure {:yields} {:layer 0} {:refines "AtomicReadTaken"} ReadTaken({:linear "tid"} tid: Tid) returns (n: int);

procedure {:both} {:layer 1} AtomicReadPut({:linear "tid"} tid: Tid) returns (n: int)
{ assert tid != nobody && lock == tid; n := put; }
procedure {:yields} {:layer 0} {:refines "AtomicReadPut"} ReadPut({:linear "tid"} tid: Tid) returns (n: int);

procedure {:both} {:layer 1} AtomicWriteTaken({:linear "tid"} tid: Tid, n: int)
modifies taken;
{ assert tid != nobody && lock == tid; taken := n; }
procedure {:yields} {:layer 0} {:refines "AtomicWriteTaken"} WriteTaken({:linear "tid"} tid: Tid, n: int);

procedure {:both} {:layer 1} AtomicWritePut({:linear "tid"} tid: Tid, n: int)
modifies put;
{ assert tid != nobody && lock == tid; put := n; }
procedure {:yields} {:layer 0} {:refines "AtomicWritePut"} WritePut({:linear "tid"} tid: Tid, n: int);

procedure {:both} {:layer 1} AtomicReadPlace({:linear "tid"} tid: Tid, i: int) returns (v: int)
{ assert tid != nobody && lock == tid && 0 <= i && i < PLACES(); v := ring[i]; }
procedure {:yields} {:layer 0} {:refines "AtomicReadPlace"}
  ReadPlace({:linear "tid"} tid: Tid, i: int) returns (v: int);

procedure {:both} {:layer 1} AtomicWritePlace({:linear "tid"} tid: Tid, i: int, v: int)
modifies ring;
{ assert tid != nobody && lock == tid && 0 <= i && i < PLACES(); ring[i] := v; }
procedure {:yields} {:layer 0} {:refines "AtomicWritePlace"} WritePlace({:linear "tid"} tid: Tid, i: int, v: int);

// ---- thread identifiers cannot be copied ----

function {:builtin "MapConst"} AllTids(bool): [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(t: Tid): [Tid]bool
{ AllTids(false)[t := true] }
