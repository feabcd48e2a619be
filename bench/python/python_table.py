"""What Python costs: a step of one body, a solve, and a batch of environments on one and two threads.

    ./talus bench python [PROBLEM]      # a problem file; data/fclib/stack_50.hdf5

Every time stands beside its certificate; runs of both sides alternate, and the least of each is taken.
"""

import sys
import time
from pathlib import Path

import talus

REPOSITORY = Path(__file__).resolve().parents[2]


def least(*sides, rounds=7):
    """Least seconds of each side, which take turns."""
    times = [[] for _ in sides]
    for _ in range(rounds):
        for side, seconds in zip(sides, times):
            start = time.perf_counter()
            side()
            seconds.append(time.perf_counter() - start)
    return [min(seconds) for seconds in times]


def one_body(steps=5000):
    scene = talus.Scene({"gravity": [0, 0, 0], "time": {"step": 1e-3, "end": 1e5}})
    scene.add_body("ball", density=2500, shape={"sphere": 0.05}, position=[0, 0, 1], velocity=[1e-3, 0, 0])
    sim = talus.Simulation(scene)

    def in_python():
        for _ in range(steps):
            sim.step()

    inside, outside = least(lambda: sim.run(until=sim.time + steps * 1e-3), in_python)
    print(f"one body           {1e6 * inside / steps:.2f} us a step in C++, {1e6 * outside / steps:.2f} us by step(): "
          f"{1e6 * (outside - inside) / steps:.2f} us of Python; certified {sim.report.is_certified}")


def one_problem(path, seconds=2.0):
    problem = talus.read_problem(path)
    first = talus.solve(problem)
    count = max(3, int(seconds / 7 / first.seconds))
    inner = []

    def solve():
        inner.append(sum(talus.solve(problem).seconds for _ in range(count)))

    outside, = least(solve)
    share = 100 * (outside / min(inner) - 1)
    print(f"{path.stem:18} {1e3 * min(inner) / count:.3f} ms in C++, {1e3 * outside / count:.3f} ms by solve(), "
          f"{share:+.1f} %; natural map {first.certificate.natural_map:.1e}")


def environments(count=1000, steps=20):
    batch = talus.Batch(REPOSITORY / "examples" / "quadruped", count)
    batch.step(5)

    def on(threads):
        talus.set_threads(threads)
        batch.step(steps)

    one, two = least(lambda: on(1), lambda: on(2), rounds=3)
    talus.set_threads(0)
    certified = sum(sim.report.is_certified for sim in batch)
    equal = len({sim.state_hash for sim in batch}) == 1
    print(f"{count} quadrupeds    {1e6 * one / count / steps:.1f} us a step on 1 thread, {one / two:.2f} times faster on 2; "
          f"{certified} certified, all equal {equal}")


one_body()
one_problem(Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "data" / "fclib" / "stack_50.hdf5")
environments()
