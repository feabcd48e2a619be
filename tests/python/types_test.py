"""Types and docstrings: what editors and readers see is what is there."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import talus

PACKAGE = Path(talus.__file__).parent

USE = '''
from typing import assert_type
import numpy as np
import talus
W = np.eye(3)
contact = talus.FrictionContact(W, [-1.0, 2.0, 0.0], 0.5, law="coulomb")
assert_type(talus.solve(contact), talus.ImpulseSolution)
assert_type(talus.solve(W, [-1.0, 2.0, 0.0], 0.5, solver="nsgs"), talus.ImpulseSolution)
assert_type(talus.solve(talus.Lcp(W, [1.0, 1.0, 1.0])).raise_if_uncertified(), talus.LcpSolution)
assert_type(talus.certify(contact, talus.solve(contact)).natural_map, float)
assert_type(talus.solvers(talus.Lcp), list[str])
with talus.Record("out.h5") as record:
    assert_type(record.bodies, list[str])
    assert_type(record.frame(0).time, float)
'''


def run_mypy(module, *arguments, cwd):
    pytest.importorskip("mypy")
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=cwd, text=True, capture_output=True,
                          env={**os.environ, "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)})


def test_the_package_is_typed_strictly(tmp_path):
    """mypy --strict finds nothing in the package nor in a program that uses it, whose types are as asserted."""
    (tmp_path / "use.py").write_text(USE)
    result = run_mypy("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "-p", "talus", cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    result = run_mypy("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "use.py", cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_stub_is_what_was_compiled(tmp_path):
    """Every name of the compiled part is in its stub, and the other way round."""
    text = run_mypy("mypy.stubtest", "--ignore-positional-only", "talus._talus", cwd=tmp_path).stdout
    for made in ("Certificate", "Scene", "Snapshot", "StepReport"):  # by talus only
        text = text.replace(f"error: talus._talus.{made}.__init__", "")
    errors = [line for line in text.splitlines() if line.startswith("error:") and "metaclass differs" not in line]
    assert "talus._talus" in text and errors == []  # pybind11's metaclass is no concern of users


def test_everything_public_says_what_it_is():
    """Every public name, and every method and property of a public class, has a docstring; no name is missing."""
    for name in talus.__all__:
        value = getattr(talus, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(value), name
        for member, method in vars(value).items() if inspect.isclass(value) else ():
            if not member.startswith("_") and (inspect.isroutine(method) or isinstance(method, property)):
                assert inspect.getdoc(getattr(value, member)), f"{name}.{member}"


def test_functions_document_every_parameter():
    """The Parameters of solve and certify are those of their signatures."""
    for function in (talus.solve, talus.certify, talus.solvers, talus.Record.read, talus.Record.plot):
        text = inspect.getdoc(function)
        for name in inspect.signature(function).parameters:
            assert name == "self" or name in text.split("Returns")[0], f"{function.__name__}: {name}"
