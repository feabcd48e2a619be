"""Records of runs: arrays, frames, series, tables, plots and the page."""

import subprocess
import sys

import h5py
import numpy as np
import pytest
from conftest import run_program
from numpy.testing import assert_allclose, assert_array_equal

import talus

SCENE = """
title: A ball and a box
time: {step: 1 ms, end: 100 ms}
record: {every: 10}
contacts: {default: {friction: 0.5}}
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - {name: ball, shape: {sphere: 0.2}, mass: 1, position: [0, 0, 1], velocity: [1, 0, 0]}
  - {name: box, shape: {box: [0.4, 0.3, 0.2]}, mass: 1, position: [1, 0, 0.1]}
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("record")
    (folder / "scene.yaml").write_text(SCENE)
    code, text = run_program("run", "scene.yaml", "-o", "scene.h5", "--quiet", cwd=folder)
    assert code == 0, text
    return folder / "scene.h5"


@pytest.fixture
def record(path):
    with talus.Record(path) as record:
        yield record


def test_arrays_are_those_of_the_file(record, path):
    """Every dataset of numbers has the numbers and the shape that another reader of HDF5 sees."""
    with h5py.File(path) as file:
        numeric = [name for name in record.datasets() if file[name].dtype.kind in "fiu"]
        assert len(numeric) > 20
        for name in numeric:
            assert_array_equal(record[name], file[name][()])


def test_a_ball_falls_as_gravity_says(record):
    """z = z0 − g t²/2 within the scheme's g h t/2, while x goes on at its speed."""
    ball, t = record.bodies.index("ball"), record.frame_times
    height = record["body.ball.z"]
    assert_allclose(height, 1 - 9.81 * t**2 / 2, atol=9.81 * 1e-3 * 0.1 / 2 + 1e-12)
    assert_array_equal(record.positions[:, ball, 2], height)
    assert_allclose(record.positions[:, ball, 0], t, atol=1e-12)
    assert_allclose(record.velocities[-1, ball], [1, 0, -9.81 * 0.1], atol=1e-12)


def test_frames_are_rows_of_the_arrays(record):
    """A frame has the state of all bodies at its time; −1 is the last one."""
    assert len(record) == len(record.frame_times) == 11
    for index in (0, 3, -1):
        frame = record.frame(index)
        assert frame.time == record.frame_times[index]
        for name, rows in (("position", record.positions), ("orientation", record.orientations),
                           ("velocity", record.velocities), ("angular_velocity", record.angular_velocities)):
            assert_array_equal(getattr(frame, name), rows[index])
    with pytest.raises(IndexError, match="-11 to 10"):
        record.frame(11)


def test_contacts_of_a_frame_carry_the_weight(record):
    """The box lies on the floor: its contacts' impulses sum to m g h upwards in every step."""
    contacts = record.contacts(-1)
    of_box = contacts["body_b"] == record.bodies.index("box")
    assert of_box.sum() >= 3
    impulse = contacts["impulse"][of_box].sum(axis=0)
    assert_allclose(impulse, [0, 0, 9.81 * 1e-3], rtol=1e-6, atol=1e-8)
    assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1)


def test_series_have_names_units_and_times(record):
    """Every name listed is read, with one time per number."""
    names = record.series()
    assert names["energies/kinetic"].startswith("[J]")
    for name in names:
        [series] = record.read(name)
        assert series.name == name and len(series.time) == len(series.value)
    assert [s.name for s in record.read("energies")] == ["energies/kinetic", "energies/potential", "energies/total"]
    assert_array_equal(record.read("energies/total")[0].time, record.times)


def test_a_name_that_is_not_there_is_told_with_the_nearest(record):
    """Misspelt names have a hint; what stands for several series is not one array."""
    with pytest.raises(talus.InputError, match="energies/kinetic"):
        record["energies/kinetik"]
    with pytest.raises(talus.InputError, match="several series"):
        record["energies"]
    with pytest.raises(talus.InputError):
        record["body.balls.z"]
    assert "energies/total" in record and "energies/none" not in record


def test_a_closed_record_says_so(path):
    """After close nothing is read, and what has been read stays."""
    record = talus.Record(path)
    times = record.times
    assert "2 steps" not in repr(record) and "A ball and a box" in repr(record)
    record.close()
    assert len(times) == 100 and "closed" in repr(record)
    with pytest.raises(ValueError, match="closed"):
        record.times


def test_the_page_holds_the_record(record, tmp_path, monkeypatch):
    """page() puts the record into the viewer's page, the same as `talus view --export`; a notebook shows it."""
    (tmp_path / "viewer.html").write_text("<body><!--talus-record--></body>")
    monkeypatch.setenv("TALUS_VIEWER", str(tmp_path / "viewer.html"))
    page = record.page(every=2)
    code, text = run_program("view", record.path, "--export", tmp_path / "page.html", "--every", 2)
    assert code == 0 and page.text == (tmp_path / "page.html").read_text()
    assert "<iframe srcdoc=" in page._repr_html_() and "<script" not in page._repr_html_()
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    record.view()
    assert len(opened) == 1 and opened[0].startswith("file:")
    with pytest.raises(ValueError, match="every"):
        record.page(0)


def test_without_a_page_the_error_says_how_to_get_one(record, monkeypatch):
    """A page that is not there is an InputError with a hint."""
    monkeypatch.setenv("TALUS_VIEWER", "/no/such/page.html")
    with pytest.raises(talus.InputError, match="has not been built"):
        record.page()


def test_a_table_has_the_times_as_index(record):
    """to_frame has one column per series."""
    pytest.importorskip("pandas")
    table = record.to_frame("energies", "body.ball.z")
    assert list(table.columns)[-1] == "body.ball.z"
    assert_array_equal(table["energies/total"].dropna(), record["energies/total"])


def test_a_plot_has_a_line_per_series(record):
    """plot labels the lines and the unit that they share."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = record.plot("energies/kinetic", "energies/total")
    assert [line.get_label() for line in axes.lines] == ["energies/kinetic", "energies/total"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time [s]", "[J]")
    assert_array_equal(axes.lines[1].get_ydata(), record["energies/total"])


FORGOTTEN = {
    "steps": "simulation.step(50)",
    "time": "simulation.run(until=0.05)",
    "error": "simulation.step(50); raise RuntimeError('of the user')",
    "given up": "simulation.step(50); simulation = None",
}


@pytest.mark.parametrize("how", FORGOTTEN.values(), ids=FORGOTTEN.keys())
def test_a_record_is_complete_whatever_ends_the_script(how, tmp_path):
    """A script that ends, or fails, without close() leaves all that it recorded."""
    script = f"import talus\nsimulation = talus.Simulation({SCENE!r})\nsimulation.record('out.h5')\n{how}\n"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    with talus.Record(tmp_path / "out.h5") as record:
        assert record.frame_times[-1] == pytest.approx(0.05)
        assert record.status == "interrupted"


def test_a_record_is_complete_after_iteration(tmp_path):
    """To iterate to the scene's end completes the record, as run() does."""
    simulation = talus.Simulation(SCENE)
    simulation.record(tmp_path / "out.h5")
    for report in simulation:
        assert report.is_certified
    with talus.Record(tmp_path / "out.h5") as record:
        assert record.status == "finished"


def test_a_forked_process_leaves_the_record_alone(tmp_path):
    """What a process was forked from goes on recording when that process ends."""
    script = f"""
import os, sys, talus
simulation = talus.Simulation({SCENE!r})
simulation.record('out.h5')
simulation.step(20)
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
simulation.step(30)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with talus.Record(tmp_path / "out.h5") as record:
        assert record.frame_times[-1] == pytest.approx(0.05)
