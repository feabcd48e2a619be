"""Problem files: read, solved with the same bits as on the command line, written again."""

import os
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import EACH_CLASS, PROBLEM_FILES, run_program

import talus

# The environment variable TALUS_PROBLEMS names a folder of further files.
FURTHER_FILES = sorted(Path(os.environ["TALUS_PROBLEMS"]).glob("*.hdf5")) if "TALUS_PROBLEMS" in os.environ else []
TOO_HARD = {"spheres_800"}  # a jam at μ = 1, which is not certified yet


@pytest.mark.parametrize("path", PROBLEM_FILES + FURTHER_FILES, ids=lambda path: path.stem)
def test_every_problem_file_is_solved_and_certified(path):
    """The certificate of each answer meets 1e-8; that of the problem that nobody solves does not, and says so."""
    problem = talus.read_problem(path)
    solution = talus.solve(problem, max_iterations=100 if path.stem in TOO_HARD else 5000)
    assert solution.is_certified == (path.stem not in TOO_HARD), solution.detail
    assert talus.certify(problem, solution).meets(1e-8) == solution.is_certified


@pytest.mark.skipif(not FURTHER_FILES, reason="TALUS_PROBLEMS names no folder of further problem files")
def test_further_problem_files_are_there():
    """Says in the summary whether only the problems of the repository were solved."""


@pytest.mark.parametrize("name", ["wedge_150", "stack_50", "capsules_450"])
def test_same_bits_as_on_the_command_line(name, tmp_path):
    """`talus solve FILE --output` writes the r, u and v that talus.solve returns, bit for bit."""
    path = next(path for path in PROBLEM_FILES if path.stem == name)
    code, text = run_program("solve", path, "--output", tmp_path / "solution.hdf5")
    solution = talus.solve(talus.read_problem(path))
    assert (code == 0) == solution.is_certified, text
    with h5py.File(tmp_path / "solution.hdf5") as file:
        for unknown in ("r", "u", "v"):
            assert file["solution"][unknown][:].tobytes() == getattr(solution, unknown).tobytes()


@pytest.mark.parametrize("law", ["maximum_dissipation", "cone_complementarity"])
def test_same_bits_under_other_laws(law, tmp_path):
    """So it is under other laws and with a solver by name."""
    problem = talus.FrictionContact(np.eye(6) + 0.2, [-1.0, 2, 0, -1, 0, 1], 0.5)
    problem.write(tmp_path / "problem.hdf5")
    run_program("solve", tmp_path / "problem.hdf5", "--law", law, "--solver", "nsgs", "--tol", "1e-6", "--output",
                tmp_path / "solution.hdf5")
    solution = talus.solve(problem, law=law, solver="nsgs", tolerance=1e-6)
    with h5py.File(tmp_path / "solution.hdf5") as file:
        assert file["solution/r"][:].tobytes() == solution.r.tobytes()


@EACH_CLASS
def test_a_written_problem_reads_back(problem, tmp_path):
    """Every number of a problem that a file can hold is the same bit for bit; the law is not in a file."""
    if not hasattr(problem, "write"):
        pytest.skip(f"no file format holds {type(problem).__name__}")
    path = tmp_path / "with blank and ü.hdf5"
    problem.write(path, title="written by a test")
    again = talus.read_problem(str(path))
    assert type(again) is type(problem)
    for name in ("W", "b", "M", "H", "G", "f", "w", "q", "mu", "mu_r"):
        if hasattr(problem, name):
            assert np.asarray(getattr(again, name)).tobytes() == np.asarray(getattr(problem, name)).tobytes(), name


def test_a_file_of_somebody_else_is_not_replaced(tmp_path):
    """write replaces problem files that Talus wrote, and nothing else."""
    problem = talus.Lcp([[1.0]], [-1.0])
    (tmp_path / "notes.hdf5").write_text("mine")
    with pytest.raises(talus.InputError):
        problem.write(tmp_path / "notes.hdf5")
    assert (tmp_path / "notes.hdf5").read_text() == "mine"
    problem.write(tmp_path / "own.hdf5")
    problem.write(tmp_path / "own.hdf5")


def test_a_damaged_file_is_refused_with_its_place(tmp_path):
    """The error names the file and the dataset."""
    talus.FrictionContact(np.eye(3), [-1.0, 2.0, 0.0], 0.5).write(tmp_path / "problem.hdf5")
    with h5py.File(tmp_path / "problem.hdf5", "r+") as file:
        file["fclib_local/vectors/mu"][0] = -1
    with pytest.raises(talus.InputError, match="μ ≥ 0") as caught:
        talus.read_problem(tmp_path / "problem.hdf5")
    assert caught.value.diagnostics[0].file == str(tmp_path / "problem.hdf5") and caught.value.place == "mu"
