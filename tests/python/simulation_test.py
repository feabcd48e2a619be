"""Scenes and simulations from Python: the laws of motion, the same bits as by the program, and what must not happen."""

import json
import pickle
import re
import signal
import threading

import numpy as np
import pytest

import talus
from conftest import REPOSITORY, run_program

G = 9.81


def ball_scene(**keys):
    scene = talus.Scene(until=1, step=1e-3)
    scene["contacts"] = {"default": {"friction": 0.3, "restitution": 0}}
    scene.add_body("floor", fixed=True, shape={"plane": {}})
    scene.add_body("ball", density=2500, shape={"sphere": 0.05}, position=np.array([0, 0, 1.0]), **keys)
    return scene


def lift_scene(law):
    scene = talus.Scene({"time": {"step": 1e-3, "end": 10}, "solver": {"tolerance": 1e-10}})
    scene.add_body("cabin", mass=2, shape={"box": 0.2})
    scene.add_joint("guide", ["world", "cabin"], prismatic={"at": [0, 0, 0], "axis": [0, 0, 1]}, slide=law)
    return scene


def test_a_body_falls_as_implicit_euler_says():
    """v = −g t and z = z₀ − h² g n (n + 1)/2 after n steps of Moreau's scheme with θ = 1."""
    sim = talus.Simulation(ball_scene())
    sim.step(100)
    assert sim.time == pytest.approx(0.1, abs=1e-15)
    assert sim.velocities[1, 2] == pytest.approx(-G * 0.1, rel=1e-12)
    assert sim.positions[1, 2] == pytest.approx(1 - 1e-6 * G * 100 * 101 / 2, rel=1e-13)
    assert sim.report.is_certified and sim.step_count == 100


def test_support_is_weight():
    """At rest the contact bears m g h in every step, and the ball lies on its radius."""
    sim = talus.Simulation(ball_scene())
    sim.run(until=2)
    mass = sim.scene.info.masses[1]
    assert mass == pytest.approx(2500 * 4 / 3 * np.pi * 0.05**3)
    contacts = sim.contacts
    assert len(contacts) == 1
    assert list(contacts.bodies[0]) == [0, 1]
    np.testing.assert_allclose(contacts.impulse[0], [0, 0, mass * G * 1e-3], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(contacts.normal[0], [0, 0, 1])
    assert sim.positions[1, 2] == pytest.approx(0.05, abs=1e-4)


def test_the_same_bits_as_the_program():
    """A scene has one motion, whoever steps it."""
    for example in ("four_balls", "04_box_stack", "quadruped", "slider_crank"):
        folder = REPOSITORY / "examples" / example
        sim = talus.Simulation(folder, until=0.1)
        sim.run()
        code, text = run_program("run", folder, "--until", "0.1", "--no-record", "--json")
        assert code == 0
        summary = json.loads(text)
        assert summary["state_hash"] == sim.summary["state_hash"]
        assert summary["worst_certificate"] == sim.summary["worst_certificate"]


def test_texts_dictionaries_and_files_are_one_scene(tmp_path):
    """The same keys make the same motion, from a dictionary, a text, a file, and a changed one of these."""
    scene = ball_scene()
    path = tmp_path / "scene.yaml"
    scene.write(path)
    other = talus.Scene(path)
    other["time"] = {"end": 1, "step": "1 ms"}
    made = [scene, talus.Scene(scene.text, until=1, step=1e-3), talus.Scene(path, until=1, step=1e-3), other,
            pickle.loads(pickle.dumps(scene)), scene.copy()]
    hashes = set()
    for one in made:
        sim = talus.Simulation(one)
        sim.step(600)
        hashes.add(sim.state_hash)
    assert len(hashes) == 1
    assert other["time"]["step"] == "1 ms" and "gravity" not in other
    assert scene.info.bodies == ("floor", "ball")


def test_what_is_not_there_is_not_pushed():
    """A push changes the momentum of a body by J; one that a source has yet to bring has none, which is said."""
    scene = talus.Scene({"time": {"step": 1e-3, "end": 1}, "gravity": [0, 0, 0]})
    scene.add_body("rain", density=2500, source={"shape": {"sphere": 0.1}, "count": 2, "rate": 50,
                                                 "region": {"min": [0, 0, 0], "max": [1, 1, 1]}})
    sim = talus.Simulation(scene)
    assert not sim.is_present[1]
    with pytest.raises(talus.InputError, match=r"body: 'rain\[1\]' is not there"):
        sim.push("rain[1]", [1, 0, 0])
    sim.step(60)
    assert sim.is_present[1]
    before = sim.velocities[1]
    sim.push("rain[1]", [1, 0, 0])
    sim.step()
    assert (sim.velocities[1] - before)[0] * sim.scene.info.masses[1] == pytest.approx(1)
    assert sim.summary["pushed_steps"] == 1


def test_commands_move_motors():
    """A motor with a position rests where kp (target − q) = m g; an effort changes momentum by F h."""
    sim = talus.Simulation(lift_scene({"motor": {"position": 0, "stiffness": 500, "damping": 60}}))
    assert dict(sim.command) == {"guide": 0} and sim.command.kinds["guide"] == "position"
    assert sim.joint_names == ("guide",)
    assert sim.joint_positions == pytest.approx([0])
    assert np.isnan(sim.joint_efforts).all()
    sim.command["guide"] = np.float32(0.25)
    sim.step(2000)
    assert sim.joint_positions[0] == pytest.approx(0.25 - 2 * G / 500, abs=1e-9)
    assert sim.joint_efforts[0] == pytest.approx(2 * G, abs=1e-6)
    sim = talus.Simulation(lift_scene({"motor": {"effort": 0}}))
    sim.command.set([30])
    sim.step()
    assert sim.joint_velocities[0] == pytest.approx(1e-3 * (15 - G), abs=1e-14)


def test_a_restored_run_goes_as_it_went(tmp_path):
    """Snapshots hold all that a run goes on from; state files too, and the program takes them up."""
    sim = talus.Simulation(ball_scene(velocity=[1, 0, 0]))
    sim.step(440)
    saved = sim.save(tmp_path / "half.h5")
    sim.step(100)
    end = sim.state_hash
    sim.restore(saved)
    assert (sim.time, sim.step_count) == (saved.time, 440)
    sim.step(100)
    assert sim.state_hash == end
    other = talus.Simulation(ball_scene(velocity=[1, 0, 0]))
    other.restore(tmp_path / "half.h5")
    other.step(100)
    assert other.state_hash == end


def test_forces_and_pushes_change_momentum():
    """m Δv = h F for a force, and Δp for a push; moments turn a ball by J Δω."""
    sim = talus.Simulation(ball_scene())
    mass = sim.scene.info.masses[1]
    force = np.zeros((2, 3))
    force[1] = [0.2, 0, mass * G]
    sim.on_force(lambda s: force)
    seen = []
    sim.on_step(lambda s: seen.append(s.time))
    sim.run(until=0.05)
    assert len(seen) == 50
    np.testing.assert_allclose(sim.velocities[1], [0.05 * 0.2 / mass, 0, 0], atol=1e-12)
    sim = talus.Simulation(ball_scene())
    sim.push("ball", [0, 0.1, 0], moment=[0, 0, 1e-3])
    np.testing.assert_allclose(sim.velocities[1], [0, 0.1 / mass, 0])
    np.testing.assert_allclose(sim.angular_velocities[1], [0, 0, 1e-3 / (0.4 * mass * 0.05**2)])


def test_records_are_those_of_the_program(tmp_path):
    """A record is complete after run, close or the end of a with block."""
    with talus.Simulation(ball_scene()) as sim:
        sim.record(tmp_path / "fall.h5", every=100)
        sim.run(until=0.5)
    assert len(talus.Record(tmp_path / "fall.h5")) == 6
    with pytest.raises(talus.InputError):
        sim.record(tmp_path / "late.h5")


def test_an_interrupt_keeps_the_record(tmp_path):
    """Ctrl-C stops after the step: KeyboardInterrupt, and a record that ends there."""
    sim = talus.Simulation(ball_scene())
    sim.record(tmp_path / "long.h5")
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sim.run(until=1e5)
    timer.join()
    assert sim.step_count > 0
    assert talus.Record(tmp_path / "long.h5").status == "interrupted"


def test_a_run_that_stops_says_so_in_its_record(tmp_path):
    """A step that is not certified ends a scene with on_uncertified: stop, as an exception; so does the record."""
    scene = ball_scene(velocity=[3, 0, 0])
    scene["on_uncertified"] = "stop"
    scene["solver"] = {"name": "nsgs", "tolerance": 1e-300, "max_iterations": 1}
    sim = talus.Simulation(scene)
    sim.record(tmp_path / "stopped.h5")
    with pytest.raises(talus.UncertifiedError, match="step"):
        sim.step(2000)
    with pytest.raises(talus.UncertifiedError):
        sim.step()
    sim.close()
    assert talus.Record(tmp_path / "stopped.h5").status == "stopped"


def test_simulations_in_threads_are_those_alone():
    """Steps are taken without the interpreter's lock; threads do not change a bit."""
    def run(results, i):
        sim = talus.Simulation(ball_scene(velocity=[0.1 * i, 0, 0]))
        sim.run(until=0.6)
        results[i] = sim.state_hash

    alone, together = [None] * 6, [None] * 6
    for i in range(6):
        run(alone, i)
    threads = [threading.Thread(target=run, args=(together, i)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alone == together and None not in alone and len(set(alone)) == 6


def test_a_batch_steps_as_each_would():
    """Environments share nothing: each moves as alone, and a reset one as from the start."""
    scene = lift_scene({"motor": {"effort": 0}})
    batch = talus.Batch(scene, 5)
    efforts = np.linspace(0, 40, 5)[:, None]
    batch.command = efforts
    assert batch.step(20) == 5
    expected = 0.02 * (efforts / 2 - G)
    np.testing.assert_allclose(batch.joint_velocities, expected, atol=1e-12)
    assert batch.joint_positions.shape == (5, 1) and batch.stack("positions").shape == (5, 1, 3)
    batch.reset([1, 3])
    np.testing.assert_allclose(batch.joint_velocities[[1, 3]], 0)
    np.testing.assert_allclose(batch.joint_velocities[[0, 2, 4]], expected[[0, 2, 4]], atol=1e-12)
    assert [one.command["guide"] for one in batch][1] == 0


class Pendulum(talus.LagrangianSystem):
    """A rod on a hinge with a stop at θ = −0.5."""
    coordinate_count = 1
    contact_count = 1

    def mass(self, q):
        return [[0.25]]

    def force(self, q, v, time):
        return [-0.5 * G * np.sin(q[0])]

    def contact(self, index, q):
        return talus.LagrangianContact(gap=q[0] + 0.5, normal=[1.0])

    def potential(self, q):
        return -0.5 * G * np.cos(q[0])


def test_a_system_written_in_python():
    """A pendulum keeps its energy to first order and does not pass its stop."""
    sim = talus.LagrangianSimulation(Pendulum(), [0.8], [0.0])
    energy = sim.energy
    while sim.q[0] > -0.4:
        assert sim.step(1e-4).is_certified
    assert sim.energy == pytest.approx(energy, abs=2e-3)
    for _ in range(3000):
        assert sim.step(1e-4).is_certified
        assert sim.q[0] >= -0.5 - 1e-10
    assert sim.energy < energy


class Bouncing(Pendulum):
    """The same, thrown back by its stop."""
    def contact(self, index, q):
        return talus.LagrangianContact(gap=q[0] + 0.5, normal=[1.0], restitution=0.6)


@pytest.mark.parametrize("scheme", ["event_driven", "moreau_midpoint", "moreau_jean"])
def test_schemes_of_a_system_written_in_python(scheme):
    """By every scheme with impacts the pendulum leaves its stop with 0.6 of the speed that it came with: it rises to
    0.36 of the height."""
    sim = talus.LagrangianSimulation(Bouncing(), [0.8], [0.0], scheme=scheme, tolerance=1e-8)
    fall = np.cos(-0.5) - np.cos(0.8)
    struck, events = False, []
    while not (struck and sim.v[0] < 0):
        assert sim.step(1e-3).is_certified
        struck = struck or (sim.v[0] > 0 and sim.time > 0.1)
        events += sim.events
    rise = np.cos(-0.5) - np.cos(sim.q[0])
    assert rise == pytest.approx(0.36 * fall, abs=1e-4 if scheme == "event_driven" else 1e-2)
    assert [kind for _, kind, _ in events] == (["impact"] if scheme == "event_driven" else [])


def test_an_unknown_scheme_is_refused():
    """With the names that there are."""
    with pytest.raises(ValueError, match="expected one of moreau_jean.*got 'euler'"):
        talus.LagrangianSimulation(Pendulum(), [0.8], [0.0], scheme="euler")


@pytest.mark.parametrize("q, v", [([0.8, 1], [0]), ([0.8], [0, 0]), ([0.8, 1], [0, 0]), ([], [])])
def test_coordinates_of_another_number_are_refused(q, v):
    """One per coordinate of the system."""
    with pytest.raises(talus.InputError, match="expected 1 numbers, one per coordinate"):
        talus.LagrangianSimulation(Pendulum(), q, v)


class Broken(Pendulum):
    """Every function may give nonsense."""
    def __init__(self, **wrong):
        self.wrong = wrong

    def __getattribute__(self, name):
        wrong = object.__getattribute__(self, "__dict__").get("wrong", {})
        if name in wrong:
            return lambda *_: wrong[name]
        return object.__getattribute__(self, name)


def take_steps(system):
    """A few steps; what is not certified is an exception."""
    sim = talus.LagrangianSimulation(system, [0.0], [0.0])
    for _ in range(3):
        report = sim.step(1e-3)
        if not report.is_certified:
            raise ValueError(f"not certified: {report.status}")


@pytest.mark.parametrize("wrong, word", [
    ({"mass": [[1, 2]]}, "mass"), ({"mass": "heavy"}, "mass"), ({"mass": [[np.nan]]}, "mass"), ({"force": [1, 2]}, "k(q, v, t)"),
    ({"force": [np.inf]}, "force"), ({"force": None}, "force"),
    ({"contact": talus.LagrangianContact(np.nan, [1.0])}, "numerical_error"),
    ({"contact": talus.LagrangianContact(-1, [1.0, 2.0])}, "normal of a contact"),
    ({"contact": talus.LagrangianContact(-1, [1.0], friction=-1)}, "contact.friction"), ({"contact": 3}, "gap"),
    ({"bilateral": talus.LagrangianBilateral([0, 0], [[1.0]])}, "bilateral.gradient"),
    ({"joints": [talus.LagrangianJoint([[1.0]], -1)]}, "joint.bound")])
def test_nonsense_of_a_system_is_refused(wrong, word):
    """What a system gives is looked at: an exception that says what is wrong, never a crash."""
    take_steps(Broken())
    with pytest.raises((talus.InputError, AttributeError, ValueError), match=re.escape(word)):
        take_steps(Broken(**wrong))


def simulate(**keys):
    return talus.Simulation(ball_scene(**keys))


def lifted(effort=0):
    return talus.Simulation(lift_scene({"motor": {"effort": effort}}))


def waiting():
    """A source from which nothing has come in yet."""
    source = {"shape": {"sphere": 0.1}, "count": 3, "rate": 1, "start": 1, "region": {"min": [0, 0, 0], "max": [1, 1, 1]}}
    return talus.Simulation({"bodies": [{"name": "grains", "density": 1, "source": source}]})


@pytest.mark.parametrize("make, word", [
    (lambda: talus.Simulation("/nowhere/scene.yaml"), "/nowhere/scene.yaml"), (lambda: talus.Simulation({"bodies": []}), "body"),
    (lambda: talus.Simulation({"bodys": []}), "bodies"), (lambda: talus.Simulation("a: [\n"), "YAML"),
    (lambda: talus.Simulation(3), "int"),
    (lambda: talus.Simulation({"bodies": [{"name": "a", "shape": {"sphere": -1}}]}), "sphere"),
    (lambda: talus.Simulation(ball_scene(), until=3), "until"), (lambda: talus.Scene({"a": {1, 2}}), "set"),
    (lambda: simulate().step(0), "at least 1"), (lambda: simulate().run(until=np.nan), "nan"),
    (lambda: simulate().run(until=-1), "that is not over"),
    (lambda: simulate().push("floor", [1, 0, 0]), "floor"), (lambda: simulate().push("bll", [1, 0, 0]), "bll"),
    (lambda: simulate().push("ball", [1, 0]), "shape"), (lambda: simulate().push("ball", 1), "shape"),
    (lambda: simulate().record("out.h5", every=-5), "every"),
    (lambda: waiting().push("grains[0]", [1, 0, 0]), "not there"), (lambda: simulate().push("ball", [np.nan, 0, 0]), "finite"),
    (lambda: simulate().command.__setitem__("knee", 1), "knee"), (lambda: lifted().command.__setitem__("guide", np.nan), "finite"),
    (lambda: lifted().command.set([1, 2]), "1 numbers"), (lambda: simulate().restore("/nowhere/state.h5"), "no such file"),
    (lambda: simulate().restore(lifted().save()), "another scene"), (lambda: simulate().record("/nowhere/record.h5"), "/nowhere"),
    (lambda: talus.Batch(ball_scene(), 0), "at least 1"),
    (lambda: setattr(talus.Batch(ball_scene(), 2), "command", [[1], [2]]), "shape"), (lambda: talus.set_threads(-1), "-1")])
def test_nonsense_is_refused(make, word):
    """Whatever is wrong is an exception that names it."""
    with pytest.raises((talus.InputError, TypeError, ValueError)) as refused:
        make()
    assert word in str(refused.value)


def test_any_text_is_a_name():
    """Names beyond the basic plane of Unicode come through as they are."""
    scene = talus.Scene({"title": "ball 🎱, größer"})
    scene.add_body("ball", density=1, shape={"sphere": 1})
    assert talus.Scene(scene.text).check().title == scene.check().title == "ball 🎱, größer"


def test_mistakes_have_their_place():
    """Mistakes of a dictionary name the path of keys, of a text the line."""
    scene = ball_scene()
    scene.add_body("crate", shape={"box": [1, 2]}, density=-3)
    with pytest.raises(talus.InputError) as refused:
        scene.check()
    places = [d.path for d in refused.value.diagnostics]
    assert any("crate" in place and "density" in place for place in places)
    with pytest.raises(talus.InputError) as refused:
        talus.Scene("title: a\nbodys: []\n").check()
    assert refused.value.diagnostics[0].line == 2 and "bodies" in refused.value.hint


def test_reprs_tell():
    """What is printed says what it is."""
    sim = talus.Simulation(ball_scene())
    report = sim.step()
    assert "2 bodies" in repr(sim) and "converged" in repr(report) and "2 bodies" in repr(ball_scene())
    assert "Snapshot" in repr(sim.save()) and "Contacts" in repr(sim.contacts)


def test_a_hundred_thousand_steps_leak_nothing():
    """Memory does not grow with steps, reports and arrays: by less than 40 bytes a step."""
    resource = pytest.importorskip("resource")
    sim = talus.Simulation(ball_scene())

    def use(steps):
        for k in range(steps):
            sim.step()
            sim.positions, sim.certificate
            if k % 10 == 0:
                sim.contacts, sim.save()

    use(5000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    use(100000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000  # kB
