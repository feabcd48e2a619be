"""The scripts of python/examples run as they are, and print what they are there for."""

import json
import math
import re
import subprocess
import sys
import types

import numpy as np
import pytest
from conftest import REPOSITORY, run_program

import talus

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
    assert len(blocks) == 8
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


def test_fit_restitution():
    """The fit finds the coefficient within what 1 mm of noise leaves: δe ≈ δh/(2 e h₀) and less for two heights."""
    fitted = float(run_example("fit_restitution.py")[-1].split()[1])
    assert abs(fitted - 0.73) < 3e-3


def test_stand_quadruped():
    """More gain holds the trunk closer to where it stood."""
    ways = [float(line.split()[4]) for line in run_example("stand_quadruped.py")]
    assert ways[2] < ways[1] < ways[0]


def test_parameter_study():
    """The box slides v²/(2 μ g), to first order in the step: v h at most."""
    for line in run_example("parameter_study.py")[1:]:
        _, way, expected = map(float, line.split())
        assert abs(way - expected) < 3e-3


def test_plot_record(tmp_path, monkeypatch):
    """The picture is there."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    assert run_example("plot_record.py")[-1].startswith("four_balls.png: 5 bodies")
    assert (tmp_path / "four_balls.png").read_bytes().startswith(b"\x89PNG")


class _Box:
    def __init__(self, low, high, shape):
        self.shape = shape


def test_the_gymnasium_adapter_steps(monkeypatch):
    """The adapter of the page runs on stand-ins of the classes that it takes of Gymnasium; who ends begins anew."""
    vector_env = type("VectorEnv", (), {"reset": lambda self, seed=None: setattr(self, "np_random", np.random.default_rng(seed))})
    vector = types.SimpleNamespace(VectorEnv=vector_env, utils=types.SimpleNamespace(batch_space=lambda space, n: space))
    monkeypatch.setitem(sys.modules, "gymnasium",
                        types.SimpleNamespace(vector=vector, spaces=types.SimpleNamespace(Box=_Box)))
    page = (REPOSITORY / "docs/python.md").read_text(encoding="utf-8")
    names = {}
    exec(re.search(r"^```python gymnasium\n(.*?)^```$", page, re.M | re.S)[1], names)
    lift = talus.Scene({"time": {"step": 1e-3, "end": 2}})
    lift.add_body("cabin", mass=2, shape={"box": 0.2})
    lift.add_joint("guide", ["world", "cabin"], prismatic={"at": [0, 0, 0], "axis": [0, 0, 1]}, slide={"motor": {"effort": 0}})
    environment = names["TalusEnvironment"](lift, 3, lambda batch, seen, actions: (seen[:, 0], seen[:, 0] < -0.01), horizon=5)
    first, _ = environment.reset(seed=3)
    assert first.shape == (3, 2) and environment.single_action_space.shape == (1,)
    lengths = []
    for k in range(12):
        seen, reward, terminated, truncated, _ = environment.step(np.zeros((3, 1)))
        assert seen.shape == (3, 2) and reward.shape == (3,)
        assert np.all(np.abs(seen[terminated | truncated, 0]) < 1e-9)
        lengths.append(int(terminated.sum()))
    assert sum(lengths) >= 3                                    # 0.01 m of fall take 45 ms


@pytest.mark.parametrize("path", sorted((REPOSITORY / "python" / "examples").glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_runs(path, tmp_path, monkeypatch):
    """The cells of a notebook run from top to bottom, and it is kept without outputs."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None
        exec(compile("".join(cell["source"]), path.name, "exec"), names)
