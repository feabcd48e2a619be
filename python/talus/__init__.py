"""Rigid bodies in exact, certified contact with dry friction: problems, simulations, records.

Problems are classes (`FrictionContact`, `Lcp`, …) or arrays W, b, mu; `solve` returns an answer with an
independent certificate. Lengths are in metres, masses in kilograms, times in seconds, angles in radians.

>>> import talus
>>> talus.solve(W, b, mu).certificate.natural_map
>>> talus.Simulation("examples/four_balls").run()["worst_certificate"]
"""

from talus._talus import (BilateralContact, BoundedFriction, BoxQp, Certificate, Cone, ConeProblem, FrictionContact,
                          GlobalBilateralContact, GlobalFrictionContact, GlobalRollingFrictionContact, Lcp, Mlcp,
                          RollingFrictionContact, Snapshot, SparseMatrix, StepReport, __version__,
                          read_problem)
from talus.errors import Diagnostic, InputError, UncertifiedError
from talus.lagrangian import (LagrangianBilateral, LagrangianContact, LagrangianJoint, LagrangianSimulation,
                              LagrangianSystem)
from talus.records import Frame, Page, Record, Series
from talus.scenes import Mobility, Scene, SceneInfo
from talus.simulations import Batch, Commands, Contacts, Simulation, set_threads
from talus.solutions import (BoxQpSolution, Counts, GlobalImpulseSolution, History, ImpulseSolution, LcpSolution,
                             MlcpSolution, Ray, Solution, Stage)
from talus.solving import certify, solve, solvers

__all__ = [
    "Batch", "BilateralContact", "BoundedFriction", "BoxQp", "BoxQpSolution", "Certificate", "Commands", "Cone",
    "ConeProblem", "Contacts", "Counts", "Diagnostic", "Frame", "FrictionContact", "GlobalBilateralContact",
    "GlobalFrictionContact", "GlobalImpulseSolution", "GlobalRollingFrictionContact", "History",
    "ImpulseSolution", "InputError", "LagrangianBilateral", "LagrangianContact", "LagrangianJoint",
    "LagrangianSimulation", "LagrangianSystem", "Lcp", "LcpSolution", "Mlcp", "MlcpSolution",
    "Mobility", "Page", "Ray", "Record", "RollingFrictionContact", "Scene", "SceneInfo", "Series", "Simulation",
    "Snapshot", "Solution", "SparseMatrix", "Stage", "StepReport", "UncertifiedError", "__version__", "certify",
    "read_problem", "set_threads", "solve", "solvers",
]
