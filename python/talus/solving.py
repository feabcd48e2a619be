"""Solve and certify problems."""

from __future__ import annotations

from typing import Any, Optional, Protocol, TypeVar, Union, overload

from talus._talus import (BilateralContact, BoundedFriction, BoxQp, Certificate, ConeProblem, FrictionContact,
                          GlobalBilateralContact, GlobalFrictionContact, GlobalRollingFrictionContact, Lcp, Mlcp,
                          Options, RollingFrictionContact)
from talus.errors import refuse
from talus.solutions import ImpulseSolution, Solution, candidate_of

PROBLEMS = (FrictionContact, GlobalFrictionContact, BilateralContact, GlobalBilateralContact,
            RollingFrictionContact, GlobalRollingFrictionContact, BoundedFriction, ConeProblem, BoxQp, Lcp, Mlcp)

# What the names of solvers depend on beside the class.
SOLVERS_DEPEND_ON = {FrictionContact: ("law", "dimension"), GlobalFrictionContact: ("law", "dimension"),
                     BoundedFriction: ("dimension",)}

Answer = TypeVar("Answer", bound=Solution, covariant=True)


class Problem(Protocol[Answer]):
    """A problem of any class: what `solve` and `certify` take."""

    def _solve(self, options: Options, guess: Any = None) -> Answer: ...

    @staticmethod
    def solver_names() -> list[str]: ...


@overload
def solve(problem: Problem[Answer], *, law: Optional[str] = ..., solver: str = ..., tolerance: float = ...,
          plain_tolerance: Optional[float] = ..., max_iterations: int = ..., time_limit: Optional[float] = ...,
          relaxation: float = ..., directions: int = ..., history: bool = ..., guess: Any = ...) -> Answer: ...


@overload
def solve(problem: Any, b: Any, mu: Any, *, law: Optional[str] = ..., solver: str = ..., tolerance: float = ...,
          plain_tolerance: Optional[float] = ..., max_iterations: int = ..., time_limit: Optional[float] = ...,
          relaxation: float = ..., directions: int = ..., history: bool = ...,
          guess: Any = ...) -> ImpulseSolution: ...


def solve(problem: Any, b: Any = None, mu: Any = None, *, law: Optional[str] = None, solver: str = "auto",
          tolerance: float = 1e-8, plain_tolerance: Optional[float] = None, max_iterations: int = 100000,
          time_limit: Optional[float] = None, relaxation: float = 1.0, directions: int = 8, history: bool = False,
          guess: Any = None) -> Any:
    """Solve a problem and certify the answer.

    Parameters
    ----------
    problem : FrictionContact, Lcp, … or array_like or sparse matrix, shape (d m, d m)
        A problem of any class; or the Delassus matrix W [1/kg], with `b` and `mu`, of frictional contact in
        local form: K_μ ∋ r ⟂ u + μ‖u_T‖ n ∈ K_μ*, u = W r + b, rows normal first.
    b : array_like, shape (d m,), optional
        Free relative velocity [m/s].
    mu : array_like, shape (m,), or float, optional
        Friction coefficients ≥ 0. A number stands for all contacts, in space (d = 3).
    law : str, optional
        Of frictional contact: 'coulomb', 'maximum_dissipation', 'cone_complementarity', 'polyhedral' or
        'frictionless'; otherwise the problem's own, 'coulomb' for W, b, mu.
    solver : str
        One of `solvers(type(problem))`; 'auto' climbs from cheap to strong.
    tolerance : float
        On the certificate's residuals that are free of units, in (0, 1).
    plain_tolerance : float, optional
        Of LCPs and frictional contact: on the residual that other libraries print, which mixes units; the
        tolerance itself unless given, `inf`: not asked.
    max_iterations : int
        Sweeps, factorisations or pivots, ≥ 1.
    time_limit : float, optional
        Wall time [s], looked at between iterations.
    relaxation : float
        Over-relaxation of Gauss–Seidel, in (0, 2).
    directions : int
        Sides of the pyramids where a solver puts them for cones, and of the polyhedral law: even, ≥ 4.
    history : bool
        Whether the residual after every iteration is kept.
    guess : array_like, optional
        Unknowns to start from, as many as the problem has.

    Returns
    -------
    Solution
        ImpulseSolution (r, u) of local forms and cone problems, GlobalImpulseSolution (r, u, v) of global
        forms, LcpSolution (z, w), MlcpSolution (x, z, w) or BoxQpSolution (x, y).

    Raises
    ------
    InputError
        Naming the argument: shapes that do not fit, numbers that are not finite, μ < 0, names that do not
        exist. A numerical outcome is a status, never an exception.
    KeyboardInterrupt
        Ctrl-C, after the iteration.

    Notes
    -----
    The interpreter's lock is released: threads solve side by side. The same numbers as by the command
    ``talus solve``, bit for bit.

    Examples
    --------
    >>> import numpy as np
    >>> solution = talus.solve(np.eye(3), [-2.0, 3.0, 0.0], 0.5)
    >>> solution.r
    array([ 2., -1.,  0.])
    >>> solution.is_certified
    True
    """
    if isinstance(problem, PROBLEMS):
        if b is not None or mu is not None:
            raise refuse("b", "expected no b and mu beside a problem, which has its own")
        if law is not None:
            problem = under_law(problem, law, directions)
    elif b is None or mu is None:
        raise refuse("problem", f"expected a problem, or W, b and mu, got {type(problem).__name__} alone")
    else:
        problem = FrictionContact(problem, b, mu, law=law or "coulomb", directions=directions)
    options = Options(solver=solver, tolerance=tolerance, plain_tolerance=plain_tolerance,
                      max_iterations=max_iterations, relaxation=relaxation, directions=directions,
                      history=history, time_limit=time_limit)
    return problem._solve(options, guess)


def under_law(problem: Any, law: str, directions: int) -> Any:
    """The problem under another law."""
    if not hasattr(problem, "with_law"):
        raise refuse("law", f"expected none for {type(problem).__name__}, got {law!r}",
                     "FrictionContact and GlobalFrictionContact have laws; to_cone_problem() drops the De Saxcé term")
    return problem.with_law(law, directions)


def certify(problem: Any, *answer: Any) -> Certificate:
    """Compute the certificate of a candidate answer, without knowing how it was found.

    Parameters
    ----------
    problem : FrictionContact, Lcp, …
        A problem of any class.
    *answer : Solution or array_like
        A solution; or r of local forms and cone problems, z of an LCP, x of a BoxQp; r and v of global
        forms (with constraints r stacks (λ, r)); x and z of a mixed LCP. NaN is allowed: the certificate
        then meets no tolerance.

    Returns
    -------
    Certificate
        Residuals by name; `certificate.meets(tolerance)` is the verdict.

    Raises
    ------
    InputError
        If the sizes do not fit.
    """
    if not isinstance(problem, PROBLEMS):
        raise refuse("problem", f"expected a problem, got {type(problem).__name__}")
    candidate = candidate_of(answer[0]) if len(answer) == 1 else answer
    try:
        return problem._certify(*candidate)
    except TypeError as error:
        raise refuse("answer", f"got {len(candidate)} arrays, which is not what {type(problem).__name__} takes",
                     "r; r and v of global forms; x and z of a mixed LCP") from error


def solvers(problem: Union[Problem[Any], type[Problem[Any]]] = FrictionContact, **of: Any) -> list[str]:
    """List the names of the solvers of a class of problems.

    Parameters
    ----------
    problem : class or problem
        FrictionContact unless given.
    **of
        Of FrictionContact and GlobalFrictionContact: `law` ('coulomb') and `dimension` (3); of
        BoundedFriction: `dimension` (1). A problem has its own.

    Returns
    -------
    list of str
        'auto' first. Of cone problems 'mprgp' takes those without friction cones; an asymmetric Lcp or Mlcp
        is taken by 'lemke' and 'fischer_burmeister' alone.
    """
    if not isinstance(problem, type):
        of = {**{name: getattr(problem, name) for name in SOLVERS_DEPEND_ON.get(type(problem), ())}, **of}
    return problem.solver_names(**of)
