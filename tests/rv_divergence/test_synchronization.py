"""Threads that wait as `waited_for` says are in the same iterations of all loops whenever they meet."""

from __future__ import annotations

import random

from rv.analysis.cfg.region import Region, whole_region
from rv.analysis.divergence.divergence_analysis import divergence
from rv.analysis.verify import verify
from rv.ir.parser import parse_function
from rv.semantics.lockstep import State, Step, run_lockstep
from rv.semantics.memory import Memory
from rv.semantics.schedule import every_schedule
from rv.semantics.waiting import waited_for
from tests.rv_divergence.graphs import graph, random_reducible


def test_threads_do_not_run_ahead_into_the_next_iteration_of_an_outer_loop() -> None:
    flow = graph({"e": "O", "O": "I x", "I": "L o", "L": "I", "o": "O", "x": ""})
    waits = waited_for(whole_region(flow))
    assert waits["o"] == {"e", "O", "I", "L"} - {"O"}  # L comes to o by the back edge of the inner loop
    assert waits["I"] == {"e", "L"}
    assert waits["O"] == {"e", "I", "L", "o"}
    assert waits["L"] == {"e"}
    assert waits["x"] == {"e", "O", "I", "L", "o"}


def run(region: Region, generator: random.Random) -> None:
    """Three threads that branch as they like, each with the numbers of its iterations of the loops that it is in."""
    waits = waited_for(region)
    loops = region.loops.loops
    places = [("", region.entry)] * 3
    iterations: list[dict[str, int]] = [{} for _ in places]
    for _ in range(80):
        pending = {label for _, label in places if label}
        ready = sorted(label for label in pending if not waits[label] & pending)
        assert ready or not pending, (region.graph.successors, places)
        label = generator.choice(ready) if ready else ""
        here = [t for t in range(3) if places[t][1] == label]
        for t in here if label in loops else ():
            again = places[t][0] in loops[label].blocks
            iterations[t] = {h: n for h, n in iterations[t].items() if h == label or h not in loops[label].blocks}
            iterations[t][label] = iterations[t][label] + 1 if again else 0
        around = region.around(label) if label else ()
        assert len({tuple(iterations[t][h] for h in around) for t in here}) <= 1, (region.graph.successors, label)
        for t in here if label else ():
            places[t] = (label, generator.choice(region.graph.successors[label] or ("",)))


def test_threads_meet_in_the_same_iterations() -> None:
    for seed in range(400):
        generator = random.Random(seed)
        region = whole_region(random_reducible(generator, generator.randint(5, 10)))
        for _ in range(5):
            run(region, generator)


def test_every_schedule_keeps_threads_in_the_same_outer_iteration() -> None:
    """`for (i...) for (j = 0; j < t; j++)`: i is uniform, so threads that run the inner body together have one i."""
    function = verify(parse_function("""
define void @f(i32 %t) {
entry:
  jump O
O:
  %i = phi i32 [0, entry], [%i.1, o]
  %c = icmp slt i32 %i, 3
  branch %c, I, x
I:
  %j = phi i32 [0, O], [%j.1, L]
  %d = icmp slt i32 %j, %t
  branch %d, L, o
L:
  %j.1 = add i32 %j, 1
  jump I
o:
  %i.1 = add i32 %i, 1
  jump O
x:
  return void
}
"""))
    assert "i" not in divergence(function, ["t"]).varying

    def together(state: State, step: Step) -> None:
        assert len({state.values("i")[thread] for thread in step.active if step.label in ("I", "L", "o")}) <= 1, step

    for scheduler in every_schedule(200):
        run_lockstep(function, [[1], [3], [0]], Memory(), scheduler=scheduler, observer=together)
