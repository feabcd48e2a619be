"""Scenes that are written: the file says all that the scene says, so the program moves it to the same bits."""

import json
import shutil
from functools import partial

import pytest

import talus
from conftest import REPOSITORY, run_program

EXAMPLES = REPOSITORY / "examples"
ROBOTS = REPOSITORY / "tests" / "scenes" / "robots"
BALL = """
scheme: moreau_jean
solver: nsgs
time: {step: 1 ms, end: 1 s}   # of the file
contacts: {default: {friction: 0.4, restitution: 0.6}}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - {name: ball, density: 2500, shape: {sphere: 5 cm}, position: [0, 0, 0.1], velocity: [1, 0, 0]}
"""
FLOOR = {"fixed": True, "shape": {"plane": {}}, "position": [0, 0, -5]}


def by_python(scene):
    """Steps taken, time of the end [s], scheme and state of a run from Python."""
    summary = talus.Simulation(scene).run()
    return [summary[key] for key in ("steps", "time", "scheme", "solver", "tolerance", "state_hash")]


def by_program(path):
    """The same of `talus run`."""
    code, text = run_program("run", path, "--no-record", "--json")
    assert code == 0
    summary = json.loads(text.splitlines()[-1])
    return [summary[key] for key in ("steps", "time", "scheme", "solver", "tolerance", "state_hash")]


def assert_same_written(scene, path):
    path.parent.mkdir(exist_ok=True)
    scene.write(path)
    assert by_program(path) == by_python(scene)


def ball_of_parts(**keys):
    scene = talus.Scene(**keys)
    scene["contacts"] = {"default": {"friction": 0.4, "restitution": 0.6}}
    scene.add_body("floor", fixed=True, shape={"plane": {}})
    scene.add_body("ball", density=2500, shape={"sphere": "5 cm"}, position=[0, 0, 0.1], velocity=[1, 0, 0])
    return scene


@pytest.mark.parametrize("source", ["parts", "text", "file"])
def test_what_stands_in_place_of_keys_is_written(source, tmp_path):
    """until, step, scheme, solver, tolerance and set are keys of the scene that is written, of whatever it was made."""
    (tmp_path / "ball.yaml").write_text(BALL)
    keys = {"until": 0.3, "step": 1 / 700, "scheme": "moreau_midpoint", "solver": "auto", "tolerance": 3e-8,
            "set": {"bodies.ball.velocity": [2, 0.1, 0], "gravity": [0, 0, -1.62]}}
    make = {"parts": ball_of_parts, "text": partial(talus.Scene, BALL),
            "file": partial(talus.Scene, tmp_path / "ball.yaml")}[source]
    assert_same_written(make(**keys), tmp_path / "other" / "written.yaml")
    for key in keys:
        assert_same_written(make(**{key: keys[key]}), tmp_path / f"{key}.yaml")


def test_a_text_is_written_as_it_is(tmp_path):
    """Where nothing stands in place of a key, a text keeps its comments and its form."""
    talus.Scene(BALL).write(tmp_path / "written.yaml")
    assert (tmp_path / "written.yaml").read_text() == BALL
    assert talus.Scene(tmp_path / "written.yaml").text == BALL


def test_files_are_found_from_where_a_scene_is_written(tmp_path):
    """Names of files go on naming the same files: meshes, tables, includes, robots."""
    scene = talus.Scene(EXAMPLES / "mesh_bowl", until=0.02)
    assert_same_written(scene, tmp_path / "bowl.yaml")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "floor.yaml").write_text("bodies: [{name: floor, fixed: true, shape: {plane: {}}}]\n")
    (tmp_path / "parts" / "balls.csv").write_text("x,y,z,r\n0,0,0.2,0.1\n0.5,0,0.3,0.1\n")
    shutil.copy(ROBOTS / "pendulum.urdf", tmp_path / "parts")
    scene = talus.Scene({"include": ["floor.yaml"], "time": {"end": 0.05}, "robots": [{"file": "pendulum.urdf", "name": "a",
                                                                                       "position": [0, 0, 3]}],
                         "bodies": [{"name": "balls", "density": 1000, "spheres": "balls.csv"}]}, folder=tmp_path / "parts")
    assert_same_written(scene, tmp_path / "elsewhere" / "scene.yaml")


@pytest.mark.parametrize("robot", ["pendulum.urdf", "pendulum.xml", "arm/urdf/arm.urdf"])
def test_robots_are_changed_and_written(robot, tmp_path):
    """A robot's file is a scene as any other one: with another body, and with another end, it is that robot still."""
    keys = {"packages": {"arm": ROBOTS / "arm"}} if "arm" in robot else {}
    scene = talus.Scene(ROBOTS / robot, until=0.05, **keys)
    names = scene.info.bodies
    before = talus.Simulation(scene)
    before.step(20)
    assert_same_written(scene, tmp_path / "robot.yaml")
    assert "bodies" in scene
    scene["time"] = {"step": before.step_size, "end": 0.05}
    same = talus.Simulation(scene)
    same.step(20)
    assert same.state_hash == before.state_hash
    scene.add_body("floor", **FLOOR)
    assert scene.check().bodies == (*names, "floor")
    assert_same_written(scene, tmp_path / "other" / "with_floor.yaml")


def test_a_keyframe_is_written(tmp_path):
    """A robot that starts from a keyframe starts from it in the file, too."""
    (tmp_path / "swing.xml").write_text("""<mujoco><worldbody><body name="rod" pos="0 0 1">
        <joint name="pin" type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.05"/></body></worldbody>
        <keyframe><key name="up" qpos="2.5"/></keyframe></mujoco>""")
    scene = talus.Scene(tmp_path / "swing.xml", keyframe="up", until=0.05)
    assert by_python(scene) != by_python(talus.Scene(tmp_path / "swing.xml", until=0.05))
    assert_same_written(scene, tmp_path / "swing.yaml")
    state = talus.Simulation(scene).state_hash
    scene["title"] = "changed"
    assert talus.Simulation(scene).state_hash == state
    assert_same_written(scene, tmp_path / "changed.yaml")


def test_what_no_scene_can_say_is_refused(tmp_path):
    """What stands in place of a key and has no place in a file is told, and nothing is written: folders of packages,
    settings of what is not there, a scheme beside the options of another one."""
    scene = talus.Scene({"robots": [{"file": str(ROBOTS / "arm/urdf/arm.urdf"), "name": "arm"}]},
                        packages={"arm": ROBOTS / "arm"})
    with pytest.raises(talus.InputError, match="packages"):
        scene.write(tmp_path / "arm.yaml")
    assert not (tmp_path / "arm.yaml").exists()
    scene = ball_of_parts(set={"bodies.nobody.velocity": [1, 0, 0]})
    with pytest.raises(talus.InputError, match="there is no item \"nobody\""):
        scene.write(tmp_path / "ball.yaml")
    scene = talus.Scene(BALL.replace("moreau_jean", "{theta: 0.7}"), scheme="moreau_midpoint")
    with pytest.raises(talus.InputError, match="theta is an option of moreau_jean"):
        scene.write(tmp_path / "ball.yaml")
    assert not (tmp_path / "ball.yaml").exists()
