"""Robots from URDF and MJCF files through the program: what is read, refused and written."""

import json
import math
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TALUS = os.environ["TALUS"]
OWN = Path(__file__).parent / "robots"
SHARED = Path(os.environ.get("TALUS_SHARED_DATA", Path(__file__).parents[2] / "../shared/data")) / "models"

URDF = '<robot name="r">\n{}\n</robot>'
LINK = '<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
MJCF = "<mujoco>\n{}\n</mujoco>"
BODY = "<worldbody><body>{}<freejoint/></body></worldbody>"
BALL = '<geom size="0.1"/>'


def talus(*arguments, cwd=OWN):
    return subprocess.run([TALUS, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=cwd)


def state_hash(file, until=0.5):
    """The hash of the state after a while; every step is certified."""
    result = talus("run", file, "--until", until, "--no-record", "--quiet", "--json")
    summary = json.loads(result.stdout.splitlines()[-1])
    assert result.returncode == 0, result.stderr
    return summary["state_hash"]


def masses(file):
    """The masses of the bodies that the file has, as the scene written of it says, without those that are added."""
    result = talus("convert", file)
    assert result.returncode == 0, result.stderr
    found = []
    for body in re.split(r"\n  - ", result.stdout.split("\nbodies:")[1].split("\njoints:")[0]):
        mass = re.search(r"\bmass: ([-+.e\d]+)", body)
        if mass and "(added)" not in body:
            found.append(float(mass[1]))
    return found


# Name, contents, line, part of the message.
BROKEN_URDF = [
    ("not_xml", "<robot", 1, "not valid XML"),
    ("not_closed", URDF.format("<link name='a'>"), 3, "not valid XML"),
    ("empty", "", 1, "not valid XML"),
    ("another_root", "<model/>", 1, "begins with <robot>"),
    ("sdf", "<sdf version='1.6'/>", 1, "begins with <robot>"),
    ("no_link", URDF.format(""), 1, "at least one link"),
    ("link_without_name", URDF.format("<link/>"), 2, "needs name"),
    ("link_twice", URDF.format(LINK + "\n" + LINK), 3, "already a link"),
    ("negative_mass", URDF.format(LINK.replace('mass value="1"', 'mass value="-1"')), 2, "of at least 0, got -1"),
    ("mass_no_number", URDF.format(LINK.replace('mass value="1"', 'mass value="heavy"')), 2, "finite number"),
    ("mass_infinite", URDF.format(LINK.replace('mass value="1"', 'mass value="inf"')), 2, "finite number"),
    ("mass_nan", URDF.format(LINK.replace('mass value="1"', 'mass value="nan"')), 2, "finite number"),
    ("triangle", URDF.format(LINK.replace('izz="1"', 'izz="3"')), 2, "exceeds the sum of the others"),
    ("negative_inertia", URDF.format(LINK.replace('ixx="1"', 'ixx="-1"')), 2, "positive principal moments"),
    ("no_inertia", URDF.format('<link name="a"><inertial><mass value="1"/></inertial></link>'), 2, "no inertia"),
    ("inertial_without_mass", URDF.format('<link name="a"><inertial/></link>'), 2, "needs <mass"),
    ("unknown_parent", URDF.format(LINK + '\n<joint name="j" type="fixed"><parent link="b"/><child link="a"/></joint>'),
     3, 'no link "b"'),
    ("joint_without_child", URDF.format(LINK + '\n<joint name="j" type="fixed"><parent link="a"/></joint>'), 3,
     "needs a <parent> and a <child>"),
    ("joint_with_itself", URDF.format(LINK + '\n<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>'),
     3, "two different links"),
    ("joint_type", URDF.format(LINK + LINK.replace('"a"', '"b"') +
                               '\n<joint name="j" type="magic"><parent link="a"/><child link="b"/></joint>'), 3, "magic"),
    ("zero_axis", URDF.format(LINK + LINK.replace('"a"', '"b"') + '\n<joint name="j" type="revolute">'
                              '<parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint>'), 3, "zero vector"),
    ("two_numbers", URDF.format(LINK + LINK.replace('"a"', '"b"') + '\n<joint name="j" type="revolute">'
                                '<parent link="a"/><child link="b"/><axis xyz="0 1"/></joint>'), 3, "expected 3 numbers, got 2"),
    ("two_roots", URDF.format(LINK + "\n" + LINK.replace('"a"', '"b"')), 3, "have no parent"),
    ("cycle", URDF.format('<link name="r"/>\n' + LINK + LINK.replace('"a"', '"b"') +
                          '\n<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
                          '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'), 4, "hangs on itself"),
    ("massless_leaf", URDF.format(LINK + '<link name="b"/>\n<joint name="j" type="revolute">'
                                  '<parent link="a"/><child link="b"/></joint>'), 2, "has no mass"),
    ("missing_mesh", URDF.format(LINK.replace("</link>", "<collision><geometry>\n<mesh filename='x.stl'/></geometry>"
                                              "</collision></link>")), 3, 'no file "x.stl"'),
    ("missing_package", URDF.format(LINK.replace("</link>", "<collision><geometry>\n<mesh filename='package://p/x.stl'/>"
                                                 "</geometry></collision></link>")), 3, "package://p/x.stl"),
    ("hostile_mesh", URDF.format(LINK.replace("</link>", "<collision><geometry>\n<mesh filename='../../;rm -rf $(x)\n'/>"
                                              "</geometry></collision></link>")), 3, "there is no file"),
    ("negative_box", URDF.format(LINK.replace("</link>", "<collision><geometry>\n<box size='1 -1 1'/></geometry>"
                                              "</collision></link>")), 3, "3 positive lengths"),
    ("zero_sphere", URDF.format(LINK.replace("</link>", "<collision><geometry>\n<sphere radius='0'/></geometry>"
                                             "</collision></link>")), 3, "positive length"),
    ("empty_geometry", URDF.format(LINK.replace("</link>", "\n<collision><geometry/></collision></link>")), 3, "needs a <geometry>"),
    ("mimic_nothing", URDF.format(LINK + LINK.replace('"a"', '"b"') + '<joint name="j" type="revolute">'
                                  '<parent link="a"/><child link="b"/>\n<mimic joint="k"/></joint>'), 3, 'no joint "k"'),
    ("entity_bomb", '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<robot name="&b;"/>', 1, "no entities"),
    ("deep", URDF.format("<x>" * 5000 + "</x>" * 5000), 2, "nested more than"),
    ("screw_without_pitch", URDF.format(LINK + LINK.replace('"a"', '"b"') + '\n<joint name="j" type="screw">'
                                        '<parent link="a"/><child link="b"/></joint>'), 3, "screw_thread_pitch"),
    ("negative_damping", URDF.format(LINK + LINK.replace('"a"', '"b"') + '<joint name="j" type="revolute">'
                                     '<parent link="a"/><child link="b"/>\n<dynamics damping="-1"/></joint>'), 3, "at least 0"),
]
BROKEN_MJCF = [
    ("no_size", MJCF.format(BODY.format("\n<geom type='box'/>")), 3, "needs size"),
    ("short_size", MJCF.format(BODY.format("\n<geom type='box' size='1 1'/>")), 3, "size: expected 3 to 6 numbers"),
    ("negative_size", MJCF.format(BODY.format("\n<geom size='-1'/>")), 3, "positive lengths"),
    ("unknown_type", MJCF.format(BODY.format("\n<geom type='torus' size='1'/>")), 3, '"torus" are not read'),
    ("sdf_geom", MJCF.format(BODY.format("\n<geom type='sdf'/>")), 3, '"sdf" are not read'),
    ("heightfield", MJCF.format(BODY.format("\n<geom type='hfield' hfield='h'/>")), 3, '"hfield" are not read'),
    ("unknown_mesh", MJCF.format(BODY.format("\n<geom type='mesh' mesh='m'/>")), 3, 'no mesh "m"'),
    ("missing_mesh", MJCF.format("<asset><mesh file='no.stl'/></asset>" + BODY.format("\n<geom type='mesh' mesh='no'/>")), 3,
     "comes from it"),
    ("unknown_class", MJCF.format(BODY.format("\n<geom class='c' size='1'/>")), 3, 'no class "c"'),
    ("class_twice", MJCF.format("<default><default class='c'/>\n<default class='c'/></default>" + BODY.format(BALL)), 3,
     "already a class"),
    ("class_without_name", MJCF.format("<default>\n<default/></default>" + BODY.format(BALL)), 3, "needs class"),
    ("body_twice", MJCF.format("<worldbody><body name='a'/>\n<body name='a'/></worldbody>"), 3, "already a body"),
    ("joint_twice", MJCF.format("<worldbody><body>" + BALL + "<joint name='j'/>\n<joint name='j'/></body></worldbody>"), 3,
     "already a joint"),
    ("free_below", MJCF.format("<worldbody><body>" + BALL + "<body>\n<freejoint/>" + BALL + "</body></body></worldbody>"), 3,
     "only bodies of the world"),
    ("joint_of_the_world", MJCF.format("<worldbody>\n<joint/></worldbody>"), 3, "the world has no joint"),
    ("no_mass", MJCF.format("<worldbody>\n<body><joint/></body></worldbody>"), 3, "has no mass"),
    ("zero_axis", MJCF.format("<worldbody><body>" + BALL + "\n<joint axis='0 0 0'/></body></worldbody>"), 3, "zero vector"),
    ("zero_quaternion", MJCF.format("<worldbody>\n<body quat='0 0 0 0'/></worldbody>"), 3, "not zero"),
    ("bad_euler", MJCF.format("\n<compiler eulerseq='xyw'/>" + BODY.format(BALL)), 3, "three of the letters"),
    ("global", MJCF.format("\n<compiler coordinate='global'/>" + BODY.format(BALL)), 3, "global coordinates"),
    ("zero_step", MJCF.format("\n<option timestep='0'/>" + BODY.format(BALL)), 3, "positive time"),
    ("composite", MJCF.format("<worldbody>\n<composite/></worldbody>"), 3, "<composite> is not read"),
    ("flexcomp", MJCF.format("<worldbody>\n<flexcomp/></worldbody>"), 3, "<flexcomp> is not read"),
    ("plugin", MJCF.format("\n<extension/>" + BODY.format(BALL)), 3, "<extension> is not read"),
    ("attach", MJCF.format("<worldbody>\n<attach/></worldbody>"), 3, "<attach> is not read"),
    ("include_missing", MJCF.format("\n<include file='nowhere.xml'/>" + BODY.format(BALL)), 3, "nowhere.xml"),
    ("include_itself", MJCF.format("\n<include file='include_itself.xml'/>" + BODY.format(BALL)), 3, "included already"),
    ("include_a_folder", MJCF.format("\n<include file='.'/>" + BODY.format(BALL)), 3, '"."'),
    ("replicate_none", MJCF.format("<worldbody>\n<replicate count='0'/></worldbody>"), 3, "needs count"),
    ("replicate_bomb", MJCF.format("<worldbody>\n<replicate count='99999'><replicate count='99999'><body>" + BALL +
                                   "<freejoint/></body></replicate></replicate></worldbody>"), 3, "at most"),
    ("exclude_unknown", MJCF.format(BODY.format(BALL) + "<contact>\n<exclude body1='a' body2='b'/></contact>"), 3, 'no body "a"'),
    ("equality_flex", MJCF.format(BODY.format(BALL) + "<equality>\n<flex/></equality>"), 3, "<flex> is not read"),
    ("equality_unknown", MJCF.format(BODY.format(BALL) + "<equality>\n<joint joint1='j'/></equality>"), 3, 'no joint "j"'),
    ("actuator_unknown", MJCF.format(BODY.format(BALL) + "<actuator>\n<motor joint='j'/></actuator>"), 3, 'no joint "j"'),
    ("moving_plane", MJCF.format(BODY.format(BALL + "\n<geom type='plane' size='1 1 1'/>")), 3, "it cannot move"),
    ("negative_density", MJCF.format(BODY.format("\n<geom size='1' density='-1'/>")), 3, "at least 0"),
    ("deep_bodies", MJCF.format("<worldbody>" + "<body>" * 100000 + "</body>" * 100000 + "</worldbody>"), 2, "nested more than"),
]


class BrokenRobots(unittest.TestCase):
    def test_each_ends_with_2_and_says_where(self):
        """Exit code 2, nothing on stdout, the line and what is wrong on stderr."""
        self.assertGreaterEqual(len(BROKEN_URDF) + len(BROKEN_MJCF), 60)
        with tempfile.TemporaryDirectory() as folder:
            cases = [(".urdf", case) for case in BROKEN_URDF] + [(".xml", case) for case in BROKEN_MJCF]
            for ending, (name, text, line, message) in cases:
                with self.subTest(name + ending):
                    file = Path(folder, name + ending)
                    file.write_text(text, encoding="utf-8")
                    result = talus("check", file.name, cwd=folder)
                    self.assertEqual(result.returncode, 2, result.stdout + result.stderr[:2000])
                    self.assertEqual(result.stdout, "")
                    self.assertIn(message, result.stderr)
                    self.assertIn(f"{file.name}:{line}:", result.stderr)


class OwnRobots(unittest.TestCase):
    def test_convert_writes_the_same_motion(self):
        """The scene that is written of a robot moves as the robot does, bit for bit."""
        for file in sorted([*OWN.rglob("*.urdf"), OWN / "biped.xml", OWN / "pendulum.xml"]):
            with self.subTest(file.name), tempfile.TemporaryDirectory() as folder:
                scene = Path(folder, "scene.yaml")
                self.assertEqual(talus("convert", file, "-o", scene).returncode, 0)
                self.assertEqual(state_hash(scene), state_hash(file))

    def test_copies_of_copies_have_a_limit(self):
        """Five <replicate> of 1000 in one another are 10^15 geoms, or none at all: refused in seconds, with the place."""
        for inner in (BALL, ""):
            with self.subTest(inner), tempfile.TemporaryDirectory() as folder:
                nested = '<replicate count="1000">' * 5 + inner + "</replicate>" * 5
                Path(folder, "many.xml").write_text(MJCF.format(f"<worldbody>{nested}</worldbody>"), encoding="utf-8")
                result = talus("check", "many.xml", cwd=folder)
                self.assertEqual(result.returncode, 2)
                self.assertIn("a robot has at most 1000000 elements with its copies", result.stderr)

    def test_convert_moves_many_files(self):
        """Meshes of a robot in another folder are named from the folder of the scene, however many they are."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "robot").mkdir()
            Path(folder, "robot", "tip.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
            bodies = "".join(f'<body name="b{i}" pos="{3 * i} 0 0"><freejoint/><geom type="mesh" mesh="tip"/></body>' for i in range(2000))
            Path(folder, "robot", "many.xml").write_text(MJCF.format(
                f'<asset><mesh name="tip" file="tip.obj"/></asset><worldbody>{bodies}</worldbody>'), encoding="utf-8")
            result = talus("convert", "robot/many.xml", "-o", "many.yaml", cwd=folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            text = Path(folder, "many.yaml").read_text()
            self.assertEqual(text.count("robot/tip.obj"), 2000)
            self.assertEqual(talus("check", "many.yaml", cwd=folder).returncode, 0)

    def test_convert_replaces_nothing(self):
        """A file that is there stays as it is, the robot's own above all."""
        with tempfile.TemporaryDirectory() as folder:
            robot, scene = Path(folder) / "robot.urdf", Path(folder) / "scene.yaml"
            robot.write_text((OWN / "pendulum.urdf").read_text())
            scene.write_text("title: mine\n")
            for file in (robot, scene):
                before = file.read_bytes()
                result = talus("convert", robot, "-o", file)
                self.assertEqual(result.returncode, 2)
                self.assertIn("left as it is", result.stderr)
                self.assertEqual(file.read_bytes(), before)

    def test_urdf_and_mjcf_of_one_robot_move_alike(self):
        """A pendulum written in both ways: the same numbers give the same motion, bit for bit."""
        self.assertEqual(state_hash("pendulum.urdf"), state_hash("pendulum.xml"))

    def test_a_keyframe_is_another_start(self):
        """--keyframe starts elsewhere; an unknown one is a mistake that lists those there are."""
        result = talus("run", "biped.xml", "--keyframe", "crouch", "--until", "0.1", "--no-record", "--quiet", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotEqual(json.loads(result.stdout)["state_hash"], state_hash("biped.xml", 0.1))
        result = talus("check", "biped.xml", "--keyframe", "fly")
        self.assertEqual(result.returncode, 2)
        self.assertIn("it has crouch", result.stderr)

    def test_the_report(self):
        """What is merged, added and ignored is said with its place; --strict makes the ignored mistakes."""
        result = talus("check", "gripper.urdf")
        self.assertEqual(result.returncode, 0, result.stderr)
        for part in ('merged   gripper.urdf:12:3: "left tip" does not move against "left"',
                     "ignored  gripper.urdf:10:78: element <stiffness>", "ignored  gripper.urdf:37:3: element <gazebo>",
                     'the base "palm" is fixed: it has no mass'):
            self.assertIn(part, result.stdout)
        result = talus("check", "--strict", "gripper.urdf")
        self.assertEqual(result.returncode, 2)
        self.assertIn("gripper.urdf:37:3: ignored: element <gazebo>", result.stderr)
        self.assertEqual(talus("check", "--strict", "pendulum.xml").returncode, 0)

    def test_packages(self):
        """package://arm is found above the file, or where --package says."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "arm.urdf")
            file.write_bytes((OWN / "arm/urdf/arm.urdf").read_bytes())
            self.assertIn("--package", talus("check", file).stderr)
            result = talus("check", file, "--package", f"arm={OWN / 'arm'}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(talus("check", file, "--package", "arm=/nowhere").returncode, 2)


def vector(text, default):
    return [float(x) for x in text.split()] if text else default


def urdf_mass(root):
    """Masses of the links that move: all but those that are welded to a root without mass."""
    mass = {link.get("name"): float(link.find("inertial/mass").get("value")) if link.find("inertial") is not None else 0.0
            for link in root.findall("link")}
    parent = {joint.find("child").get("link"): joint for joint in root.findall("joint")}

    def base_of(name):
        while name in parent and parent[name].get("type") == "fixed":
            name = parent[name].find("parent").get("link")
        return name

    at_root = [name for name in mass if base_of(name) not in parent]
    is_fixed = sum(mass[name] for name in at_root) == 0
    return math.fsum(m for name, m in mass.items() if not (is_fixed and name in at_root))


def mjcf_inertial_mass(file):
    """Sum of <inertial> of bodies that move, or None where geoms give masses."""
    root = ElementTree.parse(file).getroot()
    for include in root.findall("include"):
        part = ElementTree.parse(file.parent / include.get("file")).getroot()
        for world in part.findall("worldbody"):
            root.append(world)
    found = []

    def visit(body, moves):
        moves = moves or body.find("joint") is not None or body.find("freejoint") is not None
        if moves:
            inertial = body.find("inertial")
            found.append(float(inertial.get("mass")) if inertial is not None else None)
        for child in body.findall("body"):
            visit(child, moves)

    for world in root.findall("worldbody"):
        for body in world.findall("body"):
            visit(body, False)
    return None if None in found else math.fsum(found)


# Masses of bodies by geoms, worked out by hand: Σ density · volume, or Σ mass.
def capsule(r, length):
    return 1000 * math.pi * r * r * (4 / 3 * r + length)


def walker_mass():
    legs = 2 * (capsule(0.05, 0.45) + capsule(0.04, 0.5) + capsule(0.05, 0.2))
    return capsule(0.07, 0.6) + legs


BY_GEOMS = {"cartpole.xml": lambda: 1.1, "dominos.xml": lambda: 96 * 0.09, "cube_3x3x3.xml": lambda: 26 * 0.00253704,
            "walker.xml": walker_mass}


@unittest.skipUnless(SHARED.is_dir(), f"no shared models: {SHARED}")
class SharedRobots(unittest.TestCase):
    def test_all_are_read_or_refused(self):
        """Every file is read, and its mass agrees with an independent sum to 1e-12, or refused with a place."""
        table, read, agree = [], 0, 0
        for file in sorted([*SHARED.rglob("*.urdf"), *SHARED.rglob("*.xml")]):
            if file.parent.name == "common":
                continue  # parts of others
            result = talus("check", "--json", file)
            self.assertIn(result.returncode, (0, 2), result.stderr)
            answer = json.loads(result.stdout.splitlines()[-1])
            name = str(file.relative_to(SHARED))
            if result.returncode == 2:
                mistake = answer["mistakes"][0]
                self.assertGreater(mistake["line"], 0, mistake)
                table.append(f"{name:72} refused, line {mistake['line']}: {mistake['message'][:80]}")
                continue
            read += 1
            total = math.fsum(masses(file))
            root = ElementTree.parse(file).getroot()
            if file.suffix == ".urdf":
                expected = urdf_mass(root)
            else:
                expected = BY_GEOMS[file.name]() if file.name in BY_GEOMS else mjcf_inertial_mass(file)
            text = "by geoms, not summed here"
            if expected is not None:
                agree += 1
                self.assertAlmostEqual(total / expected, 1, delta=1e-12, msg=name)
                text = f"off by {abs(total / expected - 1):.0e}"
            ignored = sum("ignored" in note for note in answer.get("robot_notes", []))
            table.append(f"{name:72} {answer['dynamic_bodies']:3} bodies {total:10.6g} kg, {text}; {ignored} kinds of parts ignored")
        print("\n".join(table))
        self.assertGreaterEqual(read, 18)
        self.assertGreaterEqual(agree, 10)

    def test_those_that_are_read_drop_and_every_step_is_certified(self):
        """From its start every robot falls, stands or is held for 0.3 s; all steps are certified at 1e-6."""
        for file in sorted([*SHARED.rglob("*.urdf"), *SHARED.rglob("*.xml")]):
            if file.parent.name != "common" and talus("check", file).returncode == 0:
                with self.subTest(file.name):
                    state_hash(file, 0.3)


if __name__ == "__main__":
    unittest.main()
