"""A record drawn with matplotlib: energies of four balls, and the height of one of them.

The picture is written to four_balls.png in the working folder.
"""

from pathlib import Path

import matplotlib

import talus

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

SCENE = Path(__file__).resolve().parents[2] / "examples" / "four_balls"

with talus.Simulation(SCENE) as sim:
    sim.record("four_balls.h5")
    sim.run()

with talus.Record("four_balls.h5") as record:
    heights = record.positions[:, :, 2]
    figure, (above, below) = plt.subplots(2, sharex=True, figsize=(6, 5))
    above.plot(record.frame_times, heights, label=record.bodies)
    above.set_ylabel("height [m]")
    above.legend(fontsize="small")
    below.plot(record.times, record["energies/total"])
    below.set(xlabel="time [s]", ylabel="total energy [J]")
    figure.savefig("four_balls.png", dpi=150)
print(f"four_balls.png: {heights.shape[1]} bodies, {heights.shape[0]} frames")
