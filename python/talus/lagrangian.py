"""Systems in generalized coordinates that a user writes down: M(q) v̇ = k(q, v, t) + contacts and constraints."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from talus import _talus
from talus._talus import StepReport

Array = NDArray[np.float64]


class LagrangianContact(NamedTuple):
    """A unilateral contact at one configuration: f(q) ≥ 0 with dry friction.

    Attributes
    ----------
    gap : float
        f(q) [m].
    normal : array, shape (n,)
        ∂f/∂q.
    friction : float
        μ ≥ 0.
    tangents : array, shape (n, t), optional
        The slip velocity is tangentsᵀ v, t = 1 or 2; None: no friction.
    restitution : float
        Newton's, in [0, 1], of the normal velocity.
    """

    gap: float
    normal: Any
    friction: float = 0
    tangents: Any = None
    restitution: float = 0


class LagrangianJoint(NamedTuple):
    """Friction without a unilateral contact: a bearing, a gear box.

    Attributes
    ----------
    tangents : array, shape (n, t)
        The slip velocity is tangentsᵀ v, t = 1 or 2.
    bound : float
        Largest friction force or moment [N or N m] ≥ 0.
    """

    tangents: Any
    bound: float


class LagrangianBilateral(NamedTuple):
    """Bilateral constraints Φ(q, t) = 0 at one configuration.

    Attributes
    ----------
    value : array, shape (m,)
        Φ.
    gradient : array, shape (n, m)
        Column i is ∂Φᵢ/∂q.
    rate : array, shape (m,), optional
        ∂Φᵢ/∂t; None: none changes in time.
    """

    value: Any
    gradient: Any
    rate: Any = None


class LagrangianSystem:
    """A mechanical system in generalized coordinates: derive from it and write down what it has.

        M(q) v̇ = k(q, v, t) + contact, joint and constraint forces,   q̇ = v.

    All arrays have one entry per coordinate, in SI units. Functions are called several times a step at
    different q and must be pure. Assumed, not checked: M symmetric, normal the gradient of gap.

    Attributes
    ----------
    coordinate_count : int
        n ≥ 1.
    contact_count : int
        Unilateral contacts, the same for all q; 0.
    """

    coordinate_count: int = 1
    contact_count: int = 0

    def mass(self, q: Array) -> Any:
        """M(q), shape (n, n), symmetric positive definite; one that is not symmetric raises InputError."""
        raise NotImplementedError

    def force(self, q: Array, v: Array, time: float) -> Any:
        """k(q, v, t), shape (n,): everything but constraints and friction, terms of a varying M included."""
        raise NotImplementedError

    def contact(self, index: int, q: Array) -> LagrangianContact:
        """Contact `index` at q."""
        raise NotImplementedError

    def bilateral(self, q: Array, time: float) -> Optional[LagrangianBilateral]:
        """Bilateral constraints; None: there are none."""
        return None

    def joints(self, q: Array) -> Sequence[LagrangianJoint]:
        """Joints with dry friction, the same number for all q."""
        return ()

    def potential(self, q: Array) -> float:
        """V(q) [J], for the energy alone."""
        return 0.0


class LagrangianSimulation:
    """A `LagrangianSystem` in motion, each step certified.

    Parameters
    ----------
    system : LagrangianSystem
        The system; it may be any object with its functions.
    q, v : array, shape (n,)
        Coordinates and velocities at the start.
    time : float
        [s].
    scheme : str
        'stewart_trinkle', 'anitescu_potra' and 'anitescu_potra_stabilised' take contacts and joints with
        two tangents and coefficients that change with q; 'moreau_jean', 'moreau_midpoint' (second order),
        'event_driven' and 'index_3' (without contacts) take one tangent and restitution.
    tolerance : float
        That certificates are compared with; free of units.
    max_halvings : int
        How often a step that fails is cut in two; 0 for 'event_driven'.
    """

    def __init__(self, system: Any, q: Any, v: Any, *, time: float = 0.0, scheme: str = "stewart_trinkle",
                 tolerance: float = 1e-10, max_halvings: int = 0) -> None:
        self._simulation = _talus.LagrangianSimulation(system, q, v, time, tolerance, scheme, max_halvings)

    def step(self, step: float) -> StepReport:
        """Advance by h [s] > 0."""
        return self._simulation.step(step)

    @property
    def q(self) -> Array:
        """Coordinates, shape (n,)."""
        return self._simulation.q

    @property
    def v(self) -> Array:
        """Velocities, shape (n,)."""
        return self._simulation.v

    @property
    def time(self) -> float:
        """[s]."""
        return self._simulation.time

    @property
    def energy(self) -> float:
        """½ vᵀ M(q) v + V(q) [J]."""
        return self._simulation.energy

    @property
    def impulses(self) -> list[tuple[int, float, Array]]:
        """Of the contacts of the last step: index, normal impulse [N s], tangential ones."""
        return self._simulation.impulses

    @property
    def events(self) -> list[tuple[float, str, int]]:
        """Of the last step of 'event_driven': time [s], kind, contact (−1 − i: joint i)."""
        return self._simulation.events

    def __repr__(self) -> str:
        return f"LagrangianSimulation(time={self.time:g} s, q={self.q}, v={self.v})"
