"""Read what a run has recorded: series, frames, plots, the page of the viewer."""

from __future__ import annotations

import html
import os
import sys
import tempfile
import webbrowser
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from talus import _talus
from talus.errors import Diagnostic, InputError

Array = NDArray[np.float64]
FilePath = Union[str, "os.PathLike[str]"]


class Series(NamedTuple):
    """A number through time.

    Attributes
    ----------
    name, unit : str
        As ``talus plot`` names it; the unit is '1' where there is none.
    time : ndarray
        Simulated time [s].
    value : ndarray
        One number per time.
    """

    name: str
    unit: str
    time: Array
    value: Array

    def __repr__(self) -> str:
        return f"Series({self.name!r} [{self.unit}], <{len(self.time)} numbers>)"


class Frame(NamedTuple):
    """The state of all bodies at one time, world frame.

    Attributes
    ----------
    time : float
        Simulated time [s].
    position : ndarray, shape (bodies, 3)
        Centres of mass [m].
    orientation : ndarray, shape (bodies, 4)
        Unit quaternions w, x, y, z: body frame to world frame.
    velocity : ndarray, shape (bodies, 3)
        Of the centres of mass [m/s].
    angular_velocity : ndarray, shape (bodies, 3)
        [rad/s].
    """

    time: float
    position: Array
    orientation: Array
    velocity: Array
    angular_velocity: Array


class Page:
    """The viewer's page with a record in it, one HTML text that opens without a server.

    In a notebook it is shown as the value of a cell.
    """

    def __init__(self, text: str, height: int = 600) -> None:
        self.text = text
        self.height = height

    def write(self, path: FilePath) -> None:
        """Write the page to a file that can be opened from disk or sent by mail."""
        Path(path).write_text(self.text, encoding="utf-8")

    def open(self) -> Path:
        """Open the page in the browser; return the temporary file, which stays."""
        handle, name = tempfile.mkstemp(prefix="talus-", suffix=".html")
        os.close(handle)
        self.write(name)
        webbrowser.open(Path(name).as_uri())
        return Path(name)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.text)}" width="100%" height="{self.height}" '
                'style="border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"Page(<{len(self.text) / 1e6:.1f} MB>)"


class Record:
    """A record file, as ``talus run`` writes it.

    Parameters
    ----------
    path : str or path-like
        The file. It is held open until `close`, or the end of a ``with`` block.

    Raises
    ------
    InputError
        If it is no record, or is of a newer version.

    Examples
    --------
    >>> with talus.Record("out.h5") as record:
    ...     energy = record["energies/total"]
    ...     height = record["body.crate.z"]
    """

    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        self._open: Optional[_talus.Reader] = None
        self._open = _talus.Reader(self.path)

    @property
    def _reader(self) -> _talus.Reader:
        if self._open is None:
            raise ValueError(f"{self.path}: the record is closed")
        return self._open

    def close(self) -> None:
        """Close the file; arrays that have been read stay."""
        self._open = None

    def __enter__(self) -> Record:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    @property
    def title(self) -> str:
        """Title of the scene."""
        return self._reader.title

    @property
    def status(self) -> str:
        """'running' (also of a killed run), 'finished', 'interrupted' or 'stopped'."""
        return self._reader.status

    @property
    def bodies(self) -> list[str]:
        """Names of all bodies, in the order of the arrays."""
        return self._reader.body_names()

    @property
    def times(self) -> Array:
        """Simulated time after every step [s]."""
        return self._reader.array("steps/time")

    @property
    def frame_times(self) -> Array:
        """Simulated time of every frame [s]."""
        return self._reader.array("frames/time")

    @property
    def positions(self) -> Array:
        """Centres of mass, world frame [m], shape (frames, bodies, 3)."""
        return self._reader.array("poses/position")

    @property
    def orientations(self) -> Array:
        """Unit quaternions w, x, y, z, body frame to world frame, shape (frames, bodies, 4)."""
        return self._reader.array("poses/orientation")

    @property
    def velocities(self) -> Array:
        """Velocities of the centres of mass, world frame [m/s], shape (frames, bodies, 3)."""
        return self._reader.array("velocities/linear")

    @property
    def angular_velocities(self) -> Array:
        """World frame [rad/s], shape (frames, bodies, 3)."""
        return self._reader.array("velocities/angular")

    def __len__(self) -> int:
        """Number of frames."""
        return self._reader.frame_count

    def _frame_index(self, index: int) -> int:
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"expected a frame of {-count} to {count - 1}, got {index}")
        return index % count

    def frame(self, index: int) -> Frame:
        """State of all bodies in a frame; negative indices count from the end."""
        row = [self._reader.rows(name, self._frame_index(index), 1)[0]
               for name in ("frames/time", "poses/position", "poses/orientation", "velocities/linear",
                            "velocities/angular")]
        return Frame(float(row[0]), *row[1:])

    def contacts(self, index: int) -> dict[str, Array]:
        """Contacts of the step that ended at a frame, one row each; negative indices count from the end.

        Returns
        -------
        dict of ndarray
            'body_a', 'body_b' (indices into `bodies`), 'position', 'normal', 'gap', 'impulse' … as they
            are recorded (docs/reference/record.md).

        Raises
        ------
        ValueError
            If the contacts of this frame were not recorded (the scene's ``record: {contacts_every}``).
        """
        if not self._reader.has_contacts(self._frame_index(index)):
            every = self._reader.contacts_every
            raise ValueError(f"the contacts of frame {index} were not recorded: " +
                             (f"every {every} steps they were" if every > 0 else "the scene says contacts_every: 0"))
        first, end = self._reader.rows("contacts/offset", self._frame_index(index), 2).astype(int)
        return {name.split("/", 1)[1]: self._reader.rows(name, first, end - first)
                for name in self._reader.datasets() if name.startswith("contacts/") and name != "contacts/offset"}

    def datasets(self) -> list[str]:
        """Paths of all datasets of numbers or texts."""
        return self._reader.datasets()

    def series(self) -> dict[str, str]:
        """Names of all series, but for those of bodies (``body.NAME.z``), with unit and meaning."""
        return {name: f"[{unit}] {meaning}" for name, unit, meaning in self._reader.series_names()}

    def read(self, name: str) -> list[Series]:
        """Read the series of a name, or of what stands for several.

        Parameters
        ----------
        name : str
            One of `series()`, ``body.NAME.COMPONENT`` (x, y, z, vx … speed, wx … spin),
            ``joint.NAME.angle``, ``sensor.NAME.x``, or a group: ``energies``, ``body.NAME``.

        Raises
        ------
        InputError
            If there is no such series, with the nearest name.
        """
        return [Series(*series) for series in self._reader.read_series(name)]

    def __getitem__(self, name: str) -> Array:
        """Numbers of a dataset, whatever its shape, or of a single series (`read`)."""
        if self._reader.has(name):
            return self._reader.array(name)
        found = self.read(name)
        if len(found) != 1:
            names = ", ".join(series.name for series in found)
            raise InputError(f"{self.path}: {name} stands for several series: {names}",
                             (Diagnostic(str(self.path), 0, 0, name, f"stands for several series: {names}", "",
                                         "name one of them, or call read()"),))
        return found[0].value

    def __contains__(self, name: str) -> bool:
        return self._reader.has(name)

    def to_frame(self, *names: str) -> Any:
        """Read series into a pandas.DataFrame, with the time as index.

        Parameters
        ----------
        *names : str
            As of `read`; ``energies`` unless given. Series of other times give NaN between them.
        """
        pandas = import_module("pandas")
        columns = [pandas.Series(series.value, index=pandas.Index(series.time, name="time [s]"), name=series.name)
                   for name in names or ("energies",) for series in self.read(name)]
        return pandas.concat(columns, axis=1)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Plot series over time by matplotlib.

        Parameters
        ----------
        *names : str
            As of `read`; ``energies`` unless given.
        ax : matplotlib.axes.Axes, optional
            Where; a new figure otherwise.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if ax is None:
            ax = import_module("matplotlib.pyplot").figure().add_subplot()
        found = [series for name in names or ("energies",) for series in self.read(name)]
        units = {series.unit for series in found}
        for series in found:
            ax.plot(series.time, series.value,
                    label=series.name if len(units) == 1 else f"{series.name} [{series.unit}]")
        ax.set_xlabel("time [s]")
        if len(units) == 1:
            ax.set_ylabel(f"[{units.pop()}]")
        ax.legend()
        return ax

    def page(self, every: int = 1) -> Page:
        """Put the record into one page.

        Parameters
        ----------
        every : int
            Of so many frames one is taken, and the last.

        Raises
        ------
        InputError
            If the viewer's page has not been built, or the record is too large for one page.
        """
        if every < 1:
            raise ValueError(f"every: expected at least 1, got {every}")
        with tempfile.TemporaryDirectory(prefix="talus-") as folder:
            target = Path(folder) / "page.html"
            _talus.export_page(self.path, target, every, _viewer_page())
            return Page(target.read_text(encoding="utf-8"))

    def view(self, every: int = 1) -> Page:
        """Show the record: inline in a notebook, where the value of the cell is the page; else in the browser.

        Parameters and errors as of `page`.
        """
        page = self.page(every)
        if not _is_in_notebook():
            page.open()
        return page

    def __repr__(self) -> str:
        if self._open is None:
            return f"Record({str(self.path)!r}, closed)"
        return (f"Record({str(self.path)!r}, {self.title!r}, {self.status}, {len(self.bodies)} bodies, "
                f"{len(self)} frames, {self._reader.step_count} steps)")


def _viewer_page() -> str:
    """The viewer's page installed beside the package; empty where it is elsewhere, which C++ knows."""
    if "TALUS_VIEWER" not in os.environ:
        for folder in Path(__file__).resolve().parents:
            page = folder / "share" / "talus" / "viewer" / "index.html"
            if page.is_file():
                return page.read_text(encoding="utf-8")
    return ""


def _is_in_notebook() -> bool:
    """Whether a notebook's kernel runs this code."""
    if "IPython" not in sys.modules:
        return False
    return "IPKernelApp" in getattr(import_module("IPython").get_ipython(), "config", {})
