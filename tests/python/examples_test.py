"""The scripts of python/examples run as they are, and print what they are there for."""

import math
import re
import subprocess
import sys

import pytest
from conftest import REPOSITORY, run_program

EXAMPLES = sorted((REPOSITORY / "python" / "examples").glob("*.py"))


def run_example(name):
    result = subprocess.run([sys.executable, "-B", "-W", "error", REPOSITORY / "python" / "examples" / name],
                            text=True, capture_output=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_says_what_it_is(path):
    """An example begins with a docstring and has a test here."""
    assert path.read_text(encoding="utf-8").startswith('"""')
    assert f'run_example("{path.name}")' in (REPOSITORY / "tests/python/examples_test.py").read_text(encoding="utf-8")


def test_every_block_of_the_page_runs(tmp_path, monkeypatch):
    """The Python of docs/python.md runs from top to bottom, and what it asserts is true."""
    (tmp_path / "data").symlink_to(REPOSITORY / "data")
    assert run_program("run", REPOSITORY / "examples" / "four_balls", "--quiet", cwd=tmp_path)[0] == 0
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", (REPOSITORY / "docs/python.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 4
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)


def test_two_friction_laws():
    """Coulomb's slip opposes friction; that of maximum dissipation is turned by atan(μ c), to leading order."""
    rows = [[float(word) for word in line.split()] for line in run_example("two_friction_laws.py")[2:]]
    for c, coulomb, dissipation, *energies in rows:
        assert abs(coulomb) < 1e-3
        assert math.isclose(dissipation, math.degrees(math.atan(0.5 * c)), rel_tol=0.04, abs_tol=1e-3)
        assert energies[1] <= energies[0] + 1e-6


def test_solve_problem_file():
    """Some solvers certify the stack of boxes; a rounded answer is as far off as its digits."""
    lines = run_example("solve_problem_file.py")
    assert any(line.startswith("auto") and "converged" in line for line in lines)
    maps = [float(line.split()[-1]) for line in lines if line.startswith("r rounded")]
    assert maps == sorted(maps) and maps[0] < 1e-8 < maps[-1]
