// loop_step.bpl: a procedure that does nothing for its callers, says its specification, and counts in a loop.
//
// Main refines no action, so at its layer no step of it may change what is visible above: the counter is. Each turn
// of the loop is a step, from the loop's head to the yield.
// Rejected: the step inside the loop changes the counter (refinement, layer 1). Boogie 2.4.1 accepts the program: it
// looks again at the state where the loop's edge begins, behind the yield, and never compares what came before.

var {:layer 0,2} count: int;

procedure {:yields} {:layer 1} Main()
{
  yield;
  while (*)
  {
    call Count();
    yield;
  }
  yield;
}

procedure {:atomic} {:layer 1} AtomicCount()
modifies count;
{ count := count + 1; }
procedure {:yields} {:layer 0} {:refines "AtomicCount"} Count();
