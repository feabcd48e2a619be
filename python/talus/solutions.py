"""What `talus.solve` returns: an answer, its certificate and how it was found."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Optional, TypeVar

import numpy as np
from numpy.typing import NDArray

from talus._talus import Certificate
from talus.errors import UncertifiedError

Vector = NDArray[np.float64]
Self = TypeVar("Self", bound="Solution")


@dataclass(frozen=True)
class Counts:
    """What a run cost, whatever the machine.

    Attributes
    ----------
    products : int
        With W (or M); a Gauss–Seidel sweep counts as one.
    projections : int
        Of the whole vector on its cones.
    factorisations : int
        Of matrices as large as the problem's active part.
    """

    products: int
    projections: int
    factorisations: int


@dataclass(frozen=True, eq=False)
class History:
    """One number at the start and one after every iteration; empty unless ``history=True``.

    Attributes
    ----------
    residual : ndarray
        The solver's own residual, in its own scaling; NaN where it has none.
    energy : ndarray
        ½ xᵀWx + bᵀx, scaled, of solvers that compute it; otherwise empty.
    """

    residual: Vector
    energy: Vector

    def __repr__(self) -> str:
        return f"History(<{len(self.residual)} residuals>, <{len(self.energy)} energies>)"


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage of a solve that went through several solvers.

    Attributes
    ----------
    solver : str
        Its name.
    iterations : int
        Sweeps, pivots or steps, as the solver counts.
    residual : float
        Certified natural map of the stage's answer; free of units.
    seconds : float
        Wall time [s].
    counts : Counts
        What it cost.
    history : History
        Empty unless asked for.
    """

    solver: str
    iterations: int
    residual: float
    seconds: float
    counts: Counts
    history: History


@dataclass(frozen=True, eq=False)
class Ray:
    """A secondary ray: where Lemke's method ends if it ends without a solution of the LCP.

    For every t ≥ 0 the point z + t·direction, with covering·(z0 + t·direction0) added to w, is
    complementary.

    Attributes
    ----------
    z, direction, covering : ndarray, shape (n,)
        In the units of the unknowns, of covering in those of w.
    z0, direction0 : float
        Of the artificial variable.
    violation : float
        Of these conditions in scaled unknowns.
    proves_infeasible : bool
        Whether the ray proves that the LCP has no solution.
    """

    z: Vector
    direction: Vector
    z0: float
    direction0: float
    covering: Vector
    violation: float
    proves_infeasible: bool


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """An answer with its certificate.

    Attributes
    ----------
    status : str
        'converged' exactly if the certificate meets the tolerance; otherwise 'stalled',
        'max_iterations', 'time_limit', 'infeasible', 'unbounded', 'ray_termination', 'diverged',
        'numerical_error', 'capacity_exceeded' or 'unsupported'.
    iterations : int
        Sweeps, pivots or steps, as the solver counts.
    residual : float
        The solver's own estimate, in its own scaling; the verdict is the certificate's.
    detail : str
        One line on how the run went.
    seconds : float
        Wall time of the solve with its certificate, without what Python adds [s].
    certificate : Certificate
        Independent residuals by name.
    counts : Counts
        Products, projections and factorisations of all stages.
    stages : tuple of Stage
        In order; empty for a single solver.
    history : History
        Empty unless asked for, or where the stages have their own.
    ray : Ray or None
        Where Lemke's method ended, with the status 'ray_termination'.
    """

    status: str
    iterations: int
    residual: float
    detail: str
    seconds: float
    certificate: Certificate
    counts: Counts
    stages: tuple[Stage, ...]
    history: History
    ray: Optional[Ray]

    @property
    def is_certified(self) -> bool:
        """Whether the certificate meets the tolerance that was asked for."""
        return self.status == "converged"

    def raise_if_uncertified(self: Self) -> Self:
        """Return the solution itself if it is certified.

        Raises
        ------
        UncertifiedError
            With status, certificate and what the solver says.
        """
        if not self.is_certified:
            raise UncertifiedError(f"{self.status}: {self.certificate!r}; {self.detail}")
        return self

    @property
    def unknowns(self) -> dict[str, Vector]:
        """The arrays of the answer by name, in order."""
        common = {field.name for field in fields(Solution)}
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in common}

    def _candidate(self) -> tuple[Vector, ...]:
        """What the problem's certificate is computed from."""
        raise NotImplementedError

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}=<{len(x)} numbers>" for name, x in self.unknowns.items())
        return (f"{type(self).__name__}({shapes}, status={self.status!r}, iterations={self.iterations}, "
                f"natural_map={self.certificate.natural_map:.3g})")


@dataclass(frozen=True, eq=False, repr=False)
class ImpulseSolution(Solution):
    """Answer to a local form or a cone problem.

    Attributes
    ----------
    r : ndarray
        Impulses in contact frames, normal first [N s]; of constraints first.
    u : ndarray
        Relative velocities u = W r + b [m/s].
    """

    r: Vector
    u: Vector

    def _candidate(self) -> tuple[Vector, ...]:
        return (self.r,)


@dataclass(frozen=True, eq=False, repr=False)
class GlobalImpulseSolution(ImpulseSolution):
    """Answer to a global form.

    Attributes
    ----------
    r, u : ndarray
        As of ImpulseSolution, u = Hᵀ v + w.
    v : ndarray, shape (n,)
        Velocities of the system.
    """

    v: Vector

    def _candidate(self) -> tuple[Vector, ...]:
        return (self.r, self.v)


@dataclass(frozen=True, eq=False, repr=False)
class LcpSolution(Solution):
    """Answer to an LCP.

    Attributes
    ----------
    z, w : ndarray, shape (n,)
        0 ≤ z ⟂ w = M z + q ≥ 0.
    """

    z: Vector
    w: Vector

    def _candidate(self) -> tuple[Vector, ...]:
        return (self.z,)


@dataclass(frozen=True, eq=False, repr=False)
class MlcpSolution(Solution):
    """Answer to a mixed LCP.

    Attributes
    ----------
    x : ndarray, shape (n,)
        Free unknowns.
    z, w : ndarray, shape (m,)
        0 ≤ z ⟂ w = D x + B z + b ≥ 0.
    """

    x: Vector
    z: Vector
    w: Vector

    def _candidate(self) -> tuple[Vector, ...]:
        return (self.x, self.z)


@dataclass(frozen=True, eq=False, repr=False)
class BoxQpSolution(Solution):
    """Answer to a bound-constrained quadratic program.

    Attributes
    ----------
    x : ndarray, shape (n,)
        The minimiser.
    y : ndarray, shape (n,)
        The gradient H x + g.
    """

    x: Vector
    y: Vector

    def _candidate(self) -> tuple[Vector, ...]:
        return (self.x,)


def candidate_of(answer: Any) -> tuple[Any, ...]:
    """The arrays of a solution that a certificate takes; anything else is the only one."""
    return answer._candidate() if isinstance(answer, Solution) else (answer,)
