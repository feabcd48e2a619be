"""The coefficient of restitution of a ball, fitted to the heights of its bounces.

A ball that is dropped from h₀ rises to e² h₀ after the first impact, to e⁴ h₀ after the second. "Measured" heights are
simulated with a coefficient that the fit is not told, and disturbed by 1 mm; a scan and a parabola through its best
three points find it again.
"""

import numpy as np

import talus

SCENE = """
time: {step: 0.5 ms, end: 1.5 s}
contacts: {default: {friction: 0, restitution: 0.5}}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - {name: ball, density: 1100, shape: {sphere: 2 cm}, position: [0, 0, 42 cm]}
"""


def bounce_heights(restitution):
    """The heights [m] to which the ball rises after its first two impacts."""
    sim = talus.Simulation(talus.Scene(SCENE, set={"contacts.default.restitution": restitution}))
    height, speed = [], []
    for report in sim:
        assert report.is_certified
        height.append(sim.positions[1, 2] - 0.02)
        speed.append(sim.velocities[1, 2])
    turns = [i for i in range(1, len(speed)) if speed[i - 1] > 0 >= speed[i]]
    return np.array([height[i] for i in turns[:2]])


measured = bounce_heights(0.73) + np.random.default_rng(1).normal(0, 1e-3, 2)
trial = np.linspace(0.6, 0.9, 13)
misfit = np.array([np.sum((bounce_heights(e) - measured) ** 2) for e in trial])
best = int(np.clip(misfit.argmin(), 1, len(trial) - 2))
curve = np.polyfit(trial[best - 1:best + 2], misfit[best - 1:best + 2], 2)
print(f"measured heights   {1e3 * measured[0]:.1f} mm, {1e3 * measured[1]:.1f} mm")
print(f"restitution        {-curve[1] / (2 * curve[0]):.3f} fitted, 0.730 true")
