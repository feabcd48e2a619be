"""Coulomb's law and maximum dissipation on one contact whose normal and tangential motion are coupled.

Both keep the contact closed (u_N = 0) and the impulse on the cone (‖r_T‖ = μ r_N) while it slides. Coulomb's
friction opposes the slip: u_T is parallel to −r_T. Maximum dissipation minimises the kinetic energy over
the impulses with u_N = 0, so the slip is normal to that section of the cone instead,

    u_T parallel to −(r_T/‖r_T‖ + μ c e₁),

where c = W_NT/W_NN couples the normal velocity to an impulse along t1. The laws differ by the angle between
the two, and agree where c = 0.
"""

import numpy as np

import talus

mu, b = 0.5, [-1.0, 0.0, 3.0]
print("   c      slip against friction [deg]     energy [J]")
print("          Coulomb    max. dissipation     Coulomb  max. dissipation")
for c in (0.0, 0.2, 0.4, 0.6):
    W = np.eye(3)
    W[0, 1] = W[1, 0] = c
    angles, energies = [], []
    for law in ("coulomb", "maximum_dissipation"):
        solution = talus.solve(W, b, mu, law=law).raise_if_uncertified()
        r, u = solution.r, solution.u
        cosine = -r[1:] @ u[1:] / (np.linalg.norm(r[1:]) * np.linalg.norm(u[1:]))
        angles.append(np.degrees(np.arccos(min(cosine, 1.0))))
        energies.append(0.5 * r @ W @ r + b @ r)
    print(f"{c:5.1f} {angles[0]:12.4f} {angles[1]:16.4f} {energies[0]:15.6f} {energies[1]:14.6f}")
