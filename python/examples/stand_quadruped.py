"""A controller in the loop: a quadruped that stands is pushed, and leans its legs against the push.

The motors of the scene hold positions; every 10 ms the hips are told to swing the legs to where the trunk leans, in
proportion to its lean and speed. Without the controller (gain 0) the trunk comes farther.
"""

from pathlib import Path

import numpy as np

import talus

SCENE = Path(__file__).resolve().parents[2] / "examples" / "quadruped"


def pushed_trunk(gain):
    """How far the trunk has come forward [m] after a push of 4 N s."""
    sim = talus.Simulation(SCENE, until=1.6)
    trunk = sim.index("trunk")
    legs = [name for name in sim.command if sim.command.kinds[name] == "position"]
    for name in legs + ["push"]:
        sim.command[name] = 0                         # stand still, instead of trotting
    sim.run(until=0.3)
    start = sim.positions[trunk, 0]
    sim.push("trunk", [4, 0, 0])
    worst = 0.0
    while sim.time < 1.5:
        lean, speed = sim.positions[trunk, 0] - start, sim.velocities[trunk, 0]
        for name in legs:
            if name.endswith("hip"):
                sim.command[name] = float(np.clip(-gain * (lean + 0.1 * speed), -0.3, 0.3))
        worst = max(worst, abs(lean))
        assert sim.step(5).is_certified
    return worst


for gain in (0, 1, 2):
    print(f"gain {gain}: at most {1e3 * pushed_trunk(gain):.1f} mm from where it stood")
