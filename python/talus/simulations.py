"""Simulations: a scene in motion, step by step, certified."""

from __future__ import annotations

import json
import os
import sys
import weakref
from types import TracebackType
from typing import Any, Callable, Iterator, Mapping, MutableMapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from talus import _talus
from talus._talus import Snapshot, StepReport
from talus.errors import UncertifiedError, refuse
from talus.scenes import Scene, Source

Array = NDArray[np.float64]
FilePath = Union[str, "os.PathLike[str]"]
Force = Callable[["Simulation"], Any]


def _close(simulation: _talus.Simulation, process: int) -> None:
    """Complete the record, but not where the process was forked from the one that writes it."""
    if os.getpid() == process:
        simulation.close()


class Contacts(NamedTuple):
    """The contacts of a step, one row each, in the order of its certificate.

    Attributes
    ----------
    bodies : ndarray of int, shape (contacts, 2)
        A and B, indices into ``body_names``; the impulse acts on B, its reverse on A.
    position : ndarray, shape (contacts, 3)
        World frame [m].
    normal : ndarray, shape (contacts, 3)
        Unit, from A to B.
    gap : ndarray, shape (contacts,)
        At the start of the step [m].
    impulse : ndarray, shape (contacts, 3)
        World frame [N s].
    """

    bodies: NDArray[np.int64]
    position: Array
    normal: Array
    gap: Array
    impulse: Array

    def __len__(self) -> int:
        return len(self.gap)

    def __repr__(self) -> str:
        return f"Contacts(<{len(self.gap)}>)"


class Commands(MutableMapping[str, float]):
    """What a program sets between steps, by name: motors' targets, drives' speeds, elements' forces.

    ``sim.command["knee"] = 0.3`` holds 0.3 from the next step on. `kinds` says what each one is: a
    'position' [m or rad], a 'velocity' [m/s or rad/s] or an 'effort' [N or N m].
    """

    def __init__(self, simulation: _talus.Simulation) -> None:
        self._simulation = simulation
        self._index = {name: i for i, (name, _) in enumerate(simulation.commands)}
        self.kinds: Mapping[str, str] = dict(simulation.commands)

    def _find(self, name: str) -> int:
        if name in self._index:
            return self._index[name]
        known = ", ".join(self._index) or "none: no motor, drive of a speed or force element"
        raise refuse("command", f"there is no '{name}'", f"there are {known}")

    def __getitem__(self, name: str) -> float:
        return self._simulation.command_value(self._find(name))

    def __setitem__(self, name: str, value: float) -> None:
        self._simulation.command(self._find(name), value)

    def __delitem__(self, name: str) -> None:
        raise TypeError("a command is held, not removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def set(self, values: Any) -> None:
        """All of them at once, in their order: an array of ``len(command)`` numbers."""
        numbers = np.asarray(values, dtype=float)
        if numbers.shape != (len(self),):
            raise refuse("command", f"expected {len(self)} numbers, got shape {numbers.shape}")
        for i, value in enumerate(numbers.tolist()):
            self._simulation.command(i, value)

    def __repr__(self) -> str:
        return f"Commands({', '.join(f'{name}={value:g}' for name, value in self.items())})"


class Simulation:
    """A scene in motion.

    Parameters
    ----------
    scene : Scene, or what `Scene` takes
        What is simulated.
    **options
        Of `Scene`, where it is made here: until, step, scheme, solver, tolerance, set, …

    Notes
    -----
    The same scene has the same states, bit for bit, as by ``talus run``, for any number of threads. Steps are
    taken without the interpreter's lock, so that several simulations run in threads. What is read is a copy,
    O(bodies): ``sim.positions`` of a step stays as it was. Orientations are unit quaternions w, x, y, z. An
    object is used by one thread at a time.

    Examples
    --------
    >>> sim = talus.Simulation("examples/four_balls")
    >>> for report in sim:
    ...     assert report.is_certified
    >>> sim.positions[-1]
    """

    def __init__(self, scene: Union[Scene, Source], **options: Any) -> None:
        if isinstance(scene, Scene):
            if options:
                raise TypeError("options are those of the scene: Scene(source, until=…)")
            self.scene = scene.copy()
        else:
            self.scene = Scene(scene, **options)
        read = self.scene._loaded()
        self._info = self.scene.info
        self._simulation = _talus.Simulation(read)
        self._closing = weakref.finalize(self, _close, self._simulation, os.getpid())  # also where Python ends
        self._forces: list[Force] = []
        self._observers: list[Callable[["Simulation"], Any]] = []
        self._index = {name: i for i, name in enumerate(self._info.bodies)}
        self.command = Commands(self._simulation)

    # ---- what it is

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of all arrays."""
        return self._info.bodies

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joint coordinates of a scene in space: "hip", or "hip/turn_x" where a joint has several."""
        return tuple(self._simulation.joint_names)

    @property
    def step_size(self) -> float:
        """h [s]."""
        return self._info.step

    def index(self, body: Union[str, int]) -> int:
        """The index of a body by name."""
        if isinstance(body, str):
            if body not in self._index:
                raise refuse("body", f"there is no '{body}'", "see body_names")
            return self._index[body]
        return range(len(self._info.bodies))[body]

    # ---- stepping

    def step(self, count: int = 1) -> StepReport:
        """Take steps of size h, also beyond the scene's end.

        Parameters
        ----------
        count : int
            How many, at least 1.

        Returns
        -------
        StepReport
            Of the last one: status, certificate, contacts, energy.

        Raises
        ------
        UncertifiedError
            Where a step had no finite answer, or was not certified and the scene says ``on_uncertified: stop``;
            the state is then the last good one, or the one that was not certified.
        """
        if count < 1:
            raise ValueError(f"count: expected at least 1, got {count}")
        for _ in range(count):
            if self._forces:
                self._push_forces()
            if not self._simulation.step():
                raise UncertifiedError(self._simulation.failure)
            for observer in self._observers:
                observer(self)
        return self._simulation.report

    def run(self, until: Optional[float] = None, *, progress: bool = False) -> dict[str, Any]:
        """Step to a time.

        Parameters
        ----------
        until : float, optional
            Simulated time [s]; the scene's end.
        progress : bool
            Whether a line on stderr tells how far it is.

        Returns
        -------
        dict
            The summary, as ``talus run --json`` prints it.

        Raises
        ------
        KeyboardInterrupt
            On Ctrl-C, after the step; the record is complete up to there.
        UncertifiedError
            As `step`.
        """
        end = self._info.end if until is None else float(until)
        if not np.isfinite(end):
            raise ValueError(f"until: expected a time [s], got {end}")

        def show(time: float) -> None:
            print(f"\r{time:.6g} of {end:g} s", end="", file=sys.stderr, flush=True)

        if self._forces or self._observers:
            while self._simulation.time < end - 1e-9 * self.step_size:
                self.step()
                if progress:
                    show(self._simulation.time)
        elif not self._simulation.run(end, show if progress else None):
            raise UncertifiedError(self._simulation.failure)
        if progress:
            print(file=sys.stderr)
        if until is None:
            self.close()
        return self.summary

    def __iter__(self) -> Iterator[StepReport]:
        """Steps to the scene's end, one report each."""
        while self._simulation.time < self._info.end - 1e-9 * self.step_size:
            yield self.step()
        self.close()

    def on_step(self, observer: Callable[["Simulation"], Any]) -> None:
        """Call a function of the simulation after every step."""
        self._observers.append(observer)

    def on_force(self, force: Force) -> None:
        """Let a function exert forces.

        Before every step ``force(sim)`` returns forces on all bodies at their centres of mass, shape (bodies, 3),
        [N], world frame, or these and moments [N m]; they act through the step as impulses h F (explicit: a stiff
        one needs small steps). None: no force.
        """
        self._forces.append(force)

    def _push_forces(self) -> None:
        h = self.step_size
        for force in self._forces:
            given = force(self)
            if given is None:
                continue
            pair = given if isinstance(given, tuple) else (given, None)
            impulses, moments = (None if part is None else h * np.asarray(part, dtype=float) for part in pair)
            self._simulation.push(impulses, moments)

    def push(self, body: Union[str, int], impulse: Any, moment: Any = (0, 0, 0)) -> None:
        """Push a body before the next step.

        Parameters
        ----------
        body : str or int
            That forces move.
        impulse : array, shape (3,)
            At the centre of mass [N s], world frame.
        moment : array, shape (3,)
            [N m s], world frame.

        Raises
        ------
        InputError
            Where no force moves the body, or it is not there: not yet, or no longer.
        """
        index = self.index(body)
        if not self.is_present[index]:
            raise refuse("body", f"'{self.body_names[index]}' is not there at {self.time:g} s", "see is_present")
        rows = np.zeros((2, len(self._info.bodies), 3))
        for row, name, given in zip(rows, ("impulse", "moment"), (impulse, moment)):
            vector = np.asarray(given, dtype=float)
            if vector.shape != (3,):
                raise refuse(name, f"expected shape (3,), got {vector.shape}")
            row[index] = vector
        self._simulation.push(*rows)

    # ---- what is

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._simulation.time

    @property
    def step_count(self) -> int:
        """Steps taken."""
        return self._simulation.steps

    @property
    def positions(self) -> Array:
        """Centres of mass, shape (bodies, 3) [m], world frame."""
        return self._simulation.positions

    @property
    def orientations(self) -> Array:
        """Unit quaternions w, x, y, z, shape (bodies, 4): body frame to world frame."""
        return self._simulation.orientations

    @property
    def velocities(self) -> Array:
        """Of the centres of mass, shape (bodies, 3) [m/s], world frame."""
        return self._simulation.velocities

    @property
    def angular_velocities(self) -> Array:
        """Shape (bodies, 3) [rad/s], world frame."""
        return self._simulation.angular_velocities

    @property
    def is_present(self) -> NDArray[np.bool_]:
        """Which bodies are there: those of sources come, those in sinks go."""
        return self._simulation.is_present

    @property
    def joint_positions(self) -> Array:
        """Joint coordinates, one per joint name, whole turns counted [m or rad]."""
        return self._simulation.joint_positions

    @property
    def joint_velocities(self) -> Array:
        """Their rates [m/s or rad/s]."""
        return self._simulation.joint_velocities

    @property
    def joint_efforts(self) -> Array:
        """What motors exerted along them on average over the last step [N or N m]; NaN before the first."""
        return self._simulation.joint_efforts

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last step."""
        return Contacts(**self._simulation.contacts)

    @property
    def sensors(self) -> dict[str, Array]:
        """Readings of the scene's sensors in the last step, in their units; NaN before the first."""
        return self._simulation.sensors

    def measure(self, probe: str) -> Array:
        """What a probe of the scene sees now."""
        return self._simulation.measure(probe)

    @property
    def report(self) -> StepReport:
        """Of the last step: status, certificate, …"""
        return self._simulation.report

    @property
    def certificate(self) -> _talus.Certificate:
        """Independent residuals of the last step."""
        return self._simulation.report.certificate

    @property
    def summary(self) -> dict[str, Any]:
        """What the run has come to, as ``talus run --json`` prints it."""
        summary: dict[str, Any] = json.loads(self._simulation.summary)
        return summary

    @property
    def state_hash(self) -> int:
        """A number of all bits of the state: equal states have equal ones."""
        return self._simulation.state_hash

    # ---- keeping

    def save(self, path: Optional[FilePath] = None) -> Snapshot:
        """All that the run continues from, bit for bit: state, impulses, commands.

        Parameters
        ----------
        path : path, optional
            A state file to write too, which ``talus run --resume`` takes up; without commands.
        """
        if path is not None:
            self._simulation.save_file(path)
        return self._simulation.save()

    def restore(self, saved: Union[Snapshot, FilePath]) -> None:
        """Go back, or on, to a snapshot or a state file of this scene. Not while recording."""
        if isinstance(saved, Snapshot):
            self._simulation.restore(saved)
        else:
            self._simulation.load_file(saved)

    def record(self, path: FilePath, every: int = 0) -> None:
        """Record from the start on, a frame every so many steps (as the scene says).

        The record is complete after `close`, at the scene's end by `run` or iteration, and at the latest where the
        simulation is given up or Python ends.

        Raises
        ------
        InputError
            After the first step, or where the file cannot be written.
        """
        self._simulation.record(path, every)

    def close(self) -> None:
        """Complete the record, if there is one."""
        self._simulation.close()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return (f"Simulation({self._info.title or self.scene!r}, time={self.time:g} s, {self.step_count} steps, "
                f"{len(self._info.bodies)} bodies)")


def set_threads(count: int = 0) -> None:
    """Threads of all simulations and solves; 0: as many as the machine has. Results do not depend on it."""
    _talus.set_threads(count)


class Batch(Sequence[Simulation]):
    """Many simulations of one scene, stepped together on all threads.

    Parameters
    ----------
    scene : Scene, or what `Scene` takes
        The scene of all.
    count : int
        How many.

    Examples
    --------
    >>> batch = talus.Batch("examples/quadruped", 64)
    >>> batch.command = np.zeros((64, batch.command_count))
    >>> batch.step(10)
    >>> q, v = batch.joint_positions, batch.joint_velocities
    """

    def __init__(self, scene: Union[Scene, Source], count: int, **options: Any) -> None:
        if count < 1:
            raise ValueError(f"count: expected at least 1, got {count}")
        scene = scene if isinstance(scene, Scene) else Scene(scene, **options)
        scene._loaded()
        self._all = [Simulation(scene) for _ in range(count)]
        self._inner = [one._simulation for one in self._all]
        self._start = self._all[0].save()

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, index: Any) -> Any:
        return self._all[index]

    @property
    def command_count(self) -> int:
        """Commands of each simulation."""
        return len(self._all[0].command)

    def step(self, count: int = 1) -> int:
        """Take steps in all of them; say how many have not stopped. Forces and observers are not called."""
        return _talus.step_all(self._inner, count)

    @property
    def command(self) -> Array:
        """Commands, shape (count, commands)."""
        return np.array([list(one.command.values()) for one in self._all])

    @command.setter
    def command(self, values: Any) -> None:
        numbers = np.asarray(values, dtype=float)
        if numbers.shape != (len(self), self.command_count):
            raise ValueError(f"command: expected shape {(len(self), self.command_count)}, got {numbers.shape}")
        for one, row in zip(self._all, numbers):
            one.command.set(row)

    @property
    def joint_positions(self) -> Array:
        """Joint coordinates, shape (count, joints) [m or rad]."""
        values, _ = _talus.joints_of_all(self._inner)
        return values

    @property
    def joint_velocities(self) -> Array:
        """Their rates [m/s or rad/s]."""
        _, rates = _talus.joints_of_all(self._inner)
        return rates

    def stack(self, name: str) -> Array:
        """An attribute of all simulations as one array: ``batch.stack("positions")``."""
        return np.stack([np.asarray(getattr(one, name)) for one in self._all])

    def reset(self, which: Any = slice(None)) -> None:
        """Put all, or those of a slice, a mask or a list, back to the start."""
        for i in np.arange(len(self))[which]:
            self._all[int(i)].restore(self._start)

    def __repr__(self) -> str:
        return f"Batch({len(self)} × {self._all[0]!r})"
