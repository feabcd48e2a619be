"""Solve a contact problem of a file by every solver, and compare what the certificates say.

    ./talus python python/examples/solve_problem_file.py data/fclib/stack_50.hdf5
"""

import sys
from pathlib import Path

import talus

REPOSITORY = Path(__file__).resolve().parents[2]
problem = talus.read_problem(sys.argv[1] if len(sys.argv) > 1 else REPOSITORY / "data/fclib/stack_50.hdf5")
print(problem)

for name in talus.solvers(problem):
    solution = talus.solve(problem, solver=name, time_limit=1)
    print(f"{name:16} {solution.status:18} {solution.iterations:6} iterations"
          f"   natural map {solution.certificate.natural_map:.1e}")

# A certificate is computed from the answer alone, so answers of other programs can be judged as well.
solution = talus.solve(problem).raise_if_uncertified()
local = problem.to_local() if hasattr(problem, "to_local") else problem
for digits in (8, 6, 4, 2):
    certificate = talus.certify(local, solution.r.round(digits))
    print(f"r rounded to {digits} decimals: natural map {certificate.natural_map:.1e}")
