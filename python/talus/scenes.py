"""Scenes: from files, from texts, from dictionaries, or part by part; all read by the one reader of Talus."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from numbers import Real
from pathlib import Path
from typing import Any, Mapping, NamedTuple, Optional, Union

import numpy as np

from talus import _talus

FilePath = Union[str, "os.PathLike[str]"]
Source = Union[str, "os.PathLike[str]", Mapping[str, Any], None]

_NAME = "scene.yaml"
_NO_OVERRIDES: dict[str, Any] = {"set": {}, "until": None, "step": None, "scheme": None, "solver": None,
                                 "tolerance": None, "packages": {}, "keyframe": ""}


class Mobility(NamedTuple):
    """What the constraints of a machine leave free at the start.

    Attributes
    ----------
    degrees_of_freedom : int
        Of all bodies that forces move.
    constraints, redundant, loops : int
        Constraints, those that follow from the others, and joints that close a loop.
    is_consistent : bool
        Whether the constraints can be met together.
    """

    degrees_of_freedom: int
    constraints: int
    redundant: int
    loops: int
    is_consistent: bool


class SceneInfo(NamedTuple):
    """What a scene comes to once it is read.

    Attributes
    ----------
    title : str
        Of the scene, or empty.
    dimension : int
        2 or 3.
    bodies, joints, probes, sensors : tuple of str
        Names, in the order in which simulations count them.
    masses : ndarray, shape (bodies,)
        [kg]; infinite where no force moves a body.
    step, end : float
        Size of a step and end of the run [s].
    scheme, solver : str
        Registry names.
    tolerance : float
        That certificates are compared with; free of units.
    mobility : Mobility or None
        Of the machine, if there is one.
    """

    title: str
    dimension: int
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    probes: tuple[str, ...]
    sensors: tuple[str, ...]
    masses: "np.ndarray[Any, np.dtype[np.float64]]"
    step: float
    end: float
    scheme: str
    solver: str
    tolerance: float
    mobility: Optional[Mobility]


def _plain(value: Any) -> Any:
    """A value as JSON has it: numpy's numbers and arrays, paths and tuples become plain."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Real):
        number = float(value)
        return number if np.isfinite(number) else {np.inf: ".inf", -np.inf: "-.inf"}.get(number, ".nan")
    raise TypeError(f"a scene holds numbers, texts, lists and dictionaries, not {type(value).__name__}")


def _json(value: Any) -> str:
    """JSON that YAML reads: of \\u it does not take halves of one character."""
    return json.dumps(value, ensure_ascii=False)


class Scene:
    """What is simulated: bodies, what connects them, and how to step it.

    Parameters
    ----------
    source : path, str, mapping or None
        A file (YAML, or a robot in URDF or MJCF) or its folder; a text of YAML, which is one that has more
        than a line; a dictionary with the keys of a scene file; nothing, for a scene that is made part by part.
    set : mapping, optional
        Values in place of what the scene says, by their path: ``{"bodies.gate.position": [0, 0, 1]}``.
    until, step, scheme, solver, tolerance : optional
        In place of ``time.end`` [s], ``time.step`` [s], ``scheme.name``, ``solver.name``, ``solver.tolerance``.
    packages : mapping, optional
        Folders of ``package://NAME`` in robots' files.
    keyframe : str, optional
        Of an MJCF file: where it starts.
    folder : path, optional
        What names of files in a text or a dictionary are relative to; the working folder.

    Notes
    -----
    Nothing is read before it is needed: mistakes are raised as `talus.InputError` by `check`, `info` and
    `talus.Simulation`, every one with its line, or with its path of keys where there is no file.
    The keys are those of the scene reference; lengths may be texts with units ("3 cm").

    Examples
    --------
    >>> scene = talus.Scene()
    >>> scene.add_body("floor", fixed=True, shape={"plane": {}})
    >>> scene.add_body("ball", density=2500, shape={"sphere": "5 cm"}, position=[0, 0, 1])
    >>> talus.Simulation(scene).run(until=1)
    """

    def __init__(self, source: Source = None, *, set: Optional[Mapping[str, Any]] = None,
                 until: Optional[float] = None, step: Optional[float] = None, scheme: Optional[str] = None,
                 solver: Optional[str] = None, tolerance: Optional[float] = None,
                 packages: Optional[Mapping[str, FilePath]] = None, keyframe: str = "",
                 folder: Optional[FilePath] = None) -> None:
        self._path: Optional[Path] = None
        self._text: Optional[str] = None
        self._data: Optional[dict[str, Any]] = None
        self._folder = Path(folder) if folder is not None else Path(".")
        if source is None:
            self._data = {}
        elif isinstance(source, Mapping):
            self._data = _plain(source)
        elif isinstance(source, str) and "\n" in source:
            self._text = source
        elif isinstance(source, (str, os.PathLike)):
            self._path = Path(source)
        else:
            raise TypeError(f"a scene is a path, a text, a dictionary or nothing, not {type(source).__name__}")
        self._overrides: dict[str, Any] = {
            "set": {path: _json(_plain(value)) for path, value in (set or {}).items()},
            "until": until, "step": step, "scheme": scheme, "solver": solver, "tolerance": tolerance,
            "packages": {name: os.fspath(path) for name, path in (packages or {}).items()}, "keyframe": keyframe}
        self._read: Optional[_talus.Scene] = None

    # ---- reading

    def _loaded(self) -> _talus.Scene:
        if self._read is None:
            if self._path is not None:
                self._read = _talus.load_scene(self._path, self._overrides)
            else:
                self._read = _talus.load_scene_text(self._source_text(), self._folder / _NAME, self._overrides)
        return self._read

    def _source_text(self) -> str:
        return self._text if self._text is not None else _json(self._data)

    def check(self) -> SceneInfo:
        """Read the scene and say what it comes to.

        Returns
        -------
        SceneInfo

        Raises
        ------
        InputError
            With every mistake, its place and a hint.
        """
        return self.info

    @property
    def info(self) -> SceneInfo:
        """What the scene comes to once it is read."""
        scene = self._loaded()
        mobility = scene.mobility
        return SceneInfo(scene.title, scene.dimension, tuple(scene.body_names), tuple(scene.joint_names),
                         tuple(scene.probe_names), tuple(scene.sensor_names), np.array(scene.masses, dtype=float),
                         scene.step, scene.end, scene.scheme, scene.solver, scene.tolerance,
                         Mobility(**mobility) if mobility else None)

    @property
    def text(self) -> str:
        """The scene as YAML: the file's or the given text, or what was put together or a robot's file comes to.

        Values in place of what the scene says (`until`, `set`, …) are not in it; they are in what `write` writes.
        """
        if robot := self._robot():
            of_robots = {key: self._overrides[key] for key in ("packages", "keyframe")}
            return _talus.convert(robot, robot, {**_NO_OVERRIDES, **of_robots})
        if self._path is not None:
            return self._loaded().text
        return self._text if self._text is not None else _talus.tidy_yaml(self._source_text(), _NAME)

    def write(self, path: FilePath) -> None:
        """Write the scene as YAML, whole: `talus run` of the file moves it to the same bits.

        A file of that name is replaced. What stands in place of keys (`until`, `set`, …) is written as keys, a
        robot as the bodies and joints that it is. Names of files go on naming the same files, from where the
        scene is written.

        Raises
        ------
        InputError
            For what no scene can say: folders of packages for its robots.
        """
        robot = self._robot()
        text = (_talus.convert(robot, path, self._overrides) if robot
                else _talus.with_overrides(self.text, self._name(), path, self._overrides))
        Path(path).write_text(text, encoding="utf-8")

    def _robot(self) -> Optional[Path]:
        """The robot's file that the scene is, if it is one."""
        return self._path if self._path is not None and self._path.suffix in (".urdf", ".xml", ".mjcf") else None

    def _name(self) -> Path:
        """Of the file that the scene is, or might be: what it names is relative to its folder."""
        if self._path is None:
            return self._folder / _NAME
        return self._path / _NAME if self._path.is_dir() else self._path

    # ---- changing

    def _changed(self) -> dict[str, Any]:
        """The keys of the scene as a dictionary, which from now on is what is read."""
        if self._data is None:
            name = self._name()
            self._data = json.loads(_talus.yaml_as_json(self.text, name)) or {}
            if self._robot():
                self._overrides["keyframe"] = ""  # which the text has
            self._folder, self._path, self._text = name.parent, None, None
        self._read = None
        return self._data

    def __getitem__(self, key: str) -> Any:
        """The value of a key of the scene, a copy. Of a file or text every scalar is a text ("10 ms")."""
        return deepcopy(self.copy()._changed()[key])

    def __setitem__(self, key: str, value: Any) -> None:
        """Set a key of the scene: ``scene["gravity"] = [0, 0, -1.62]``."""
        self._changed()[key] = _plain(value)

    def __delitem__(self, key: str) -> None:
        del self._changed()[key]

    def __contains__(self, key: str) -> bool:
        return key in self.copy()._changed()

    def add(self, key: str, **entry: Any) -> None:
        """Add an entry to a list of the scene: ``scene.add("probes", name="top", …)``."""
        self._changed().setdefault(key, []).append(_plain(entry))

    def add_body(self, name: str, **keys: Any) -> None:
        """Add a body with the keys of the scene reference: shape, density or mass, position [m], velocity [m/s], …"""
        self.add("bodies", name=name, **keys)

    def add_joint(self, name: str, between: Any, **keys: Any) -> None:
        """Add a joint between two bodies, or "world" and a body: ``revolute={"at": [0, 0, 0], "axis": [0, 1, 0]}``."""
        self.add("joints", name=name, between=between, **keys)

    def add_drive(self, name: str, **keys: Any) -> None:
        """Add an exact motion of a joint's coordinate, or in the plane of a body against another."""
        self.add("drives", name=name, **keys)

    def add_force(self, name: str, between: Any, **keys: Any) -> None:
        """Add a force element between two bodies: spring, damper, bushing, point_force, …"""
        self.add("forces", name=name, between=between, **keys)

    def add_robot(self, file: FilePath, **keys: Any) -> None:
        """Add a robot of a URDF or MJCF file: name, position [m], orientation, keyframe, …"""
        self.add("robots", file=file, **keys)

    def add_sensor(self, name: str, **keys: Any) -> None:
        """Add a sensor: ``accelerometer={"body": "torso"}``, …"""
        self.add("sensors", name=name, **keys)

    def copy(self) -> "Scene":
        """A scene that is changed apart from this one."""
        other = Scene.__new__(Scene)
        other.__setstate__(deepcopy(self.__getstate__()))
        return other

    # ---- as an object of Python

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_read"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._read = None

    def __repr__(self) -> str:
        if self._path is not None:
            return f"Scene({str(self._path)!r})"
        if self._text is not None:
            return f"Scene(<text of {len(self._text.splitlines())} lines>)"
        parts = [f"{len(value)} {key}" for key, value in (self._data or {}).items() if isinstance(value, list)]
        return f"Scene({', '.join(parts) or 'empty'})"
