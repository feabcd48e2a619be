"""What the tests of the Python package share."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import talus

REPOSITORY = Path(__file__).resolve().parents[2]
PROBLEM_FILES = sorted((REPOSITORY / "data" / "fclib").glob("*.hdf5"))


def run_program(*arguments, cwd=None):
    """Run the program talus; its exit code and what it prints."""
    result = subprocess.run([os.environ["TALUS_PROGRAM"], *map(str, arguments)], cwd=cwd, text=True,
                            capture_output=True)
    return result.returncode, result.stdout


def one_of_each_class():
    """A small problem of every class, with a solution that is not zero."""
    contact = np.diag([1.0, 2.0, 2.0])
    rolling = np.diag([1.0, 2.0, 2.0, 3.0, 3.0])
    free = [-2.0, 3.0, 1.0]
    mass, identity = np.diag([1.0, 0.5, 0.5]), np.eye(3)
    cones = [talus.Cone("free"), talus.Cone("friction", 3, 0.5), talus.Cone("box", 2)]
    return [
        talus.FrictionContact(contact, free, 0.5),
        talus.FrictionContact(contact, free, 0.5, law="polyhedral", directions=6),
        talus.GlobalFrictionContact(mass, identity, [-2.0, 1.0, 0.5], np.zeros(3), 0.5),
        talus.BilateralContact(np.diag([2.0, 1.0, 2.0, 2.0]), [4.0, *free], 0.5, 1),
        talus.GlobalBilateralContact(np.diag([1.0, 1.0, 1.0, 2.0]), np.eye(4, 3), np.eye(4)[:, 3:],
                                     [-2.0, 3.0, 1.0, 2.0], np.zeros(3), [0.0], 0.5),
        talus.RollingFrictionContact(rolling, [*free, 1.0, 0.5], 0.5, 0.1),
        talus.GlobalRollingFrictionContact(np.eye(5), np.eye(5), [*free, 1.0, 0.5], np.zeros(5), 0.5, 0.1),
        talus.BoundedFriction(np.diag([1.0, 2.0]), [3.0, -0.5], [1.0, 2.0]),
        talus.ConeProblem(np.eye(6), [-1.0, *free, 2.0, -5.0], cones, -1.0, 1.0),
        talus.BoxQp(np.diag([2.0, 1.0]), [-8.0, -1.0], 0.0, 3.0),
        talus.Lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]),
        talus.Mlcp([[1.0]], [[1.0]], [[1.0]], [[2.0]], [1.0], [-3.0]),
    ]


EACH_CLASS = pytest.mark.parametrize(
    "problem", one_of_each_class(),
    ids=lambda p: type(p).__name__ + ("" if getattr(p, "law", "coulomb") == "coulomb" else "-" + p.law))
