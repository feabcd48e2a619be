"""Certified solvers of contact problems, and records of simulations of rigid bodies.

Problems are classes (`FrictionContact`, `Lcp`, …) or arrays W, b, mu; `solve` returns an answer with an
independent certificate. Lengths are in metres, masses in kilograms, times in seconds, angles in radians.

>>> import talus
>>> talus.solve(W, b, mu).certificate.natural_map
"""

from talus._talus import (BilateralContact, BoundedFriction, BoxQp, Certificate, Cone, ConeProblem, FrictionContact,
                          GlobalBilateralContact, GlobalFrictionContact, GlobalRollingFrictionContact, Lcp, Mlcp,
                          RollingFrictionContact, SparseMatrix, __version__, read_problem)
from talus.errors import Diagnostic, InputError, UncertifiedError
from talus.records import Frame, Page, Record, Series
from talus.solutions import (BoxQpSolution, Counts, GlobalImpulseSolution, History, ImpulseSolution, LcpSolution,
                             MlcpSolution, Ray, Solution, Stage)
from talus.solving import certify, solve, solvers

__all__ = [
    "BilateralContact", "BoundedFriction", "BoxQp", "BoxQpSolution", "Certificate", "Cone", "ConeProblem", "Counts",
    "Diagnostic", "Frame", "FrictionContact", "GlobalBilateralContact", "GlobalFrictionContact",
    "GlobalImpulseSolution", "GlobalRollingFrictionContact", "History", "ImpulseSolution", "InputError", "Lcp",
    "LcpSolution", "Mlcp", "MlcpSolution", "Page", "Ray", "Record", "RollingFrictionContact", "Series", "Solution",
    "SparseMatrix", "Stage", "UncertifiedError", "__version__", "certify", "read_problem", "solve", "solvers",
]
