"""One scene for many values, in processes: how far a box slides on floors of different friction.

A box with speed v stops after v²/(2 μ g), whatever its mass; the study prints the distance beside that.
"""

from multiprocessing import Pool

import talus

SPEED = 3.0


def slide(friction):
    """The way of the box [m]."""
    scene = talus.Scene({"time": {"step": 1e-3, "end": 5}, "contacts": {"default": {"friction": friction}}})
    scene.add_body("floor", fixed=True, shape={"plane": {}})
    scene.add_body("box", mass=1, shape={"box": [0.4, 0.4, 0.1]}, position=[0, 0, 0.05], velocity=[SPEED, 0, 0])
    sim = talus.Simulation(scene)
    summary = sim.run()
    assert summary["uncertified_steps"] == 0
    return float(sim.positions[1, 0])


if __name__ == "__main__":
    values = [0.2, 0.3, 0.4, 0.5, 0.6]
    with Pool(2) as pool:
        ways = pool.map(slide, values)
    print("friction   way [m]   v²/(2 μ g) [m]")
    for friction, way in zip(values, ways):
        print(f"{friction:8.1f} {way:9.4f} {SPEED**2 / (2 * friction * 9.81):16.4f}")
