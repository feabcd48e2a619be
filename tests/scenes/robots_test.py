"""Robots from URDF and MJCF files through the program: what is read, refused and written."""

import json
import math
import os
import re
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

import random_robots
import robot_numbers
import scene_text

TALUS = os.environ["TALUS"]
OWN = Path(__file__).parent / "robots"
SHARED = Path(os.environ.get("TALUS_SHARED_DATA", Path(__file__).parents[2] / "../shared/data")) / "models"

URDF = '<robot name="r">\n{}\n</robot>'
LINK = '<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
MJCF = "<mujoco>\n{}\n</mujoco>"
BODY = "<worldbody><body>{}<freejoint/></body></worldbody>"
BALL = '<geom size="0.1"/>'
SLIDE = '<worldbody><body><joint name="j" type="slide"/>' + BALL + "</body></worldbody>"
FIELD = "<asset>\n<hfield name='h' {}/></asset>"


def talus(*arguments, cwd=OWN):
    return subprocess.run([TALUS, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=cwd)


def state_hash(file, until=0.5):
    """The hash of the state after a while; every step is certified."""
    result = talus("run", file, "--until", until, "--no-record", "--quiet", "--json")
    summary = json.loads(result.stdout.splitlines()[-1])
    assert result.returncode == 0, result.stderr
    return summary["state_hash"]


def scene_of(file):
    """The scene that is written of a robot."""
    result = talus("convert", file)
    assert result.returncode == 0, result.stderr
    return scene_text.read(result.stdout)


def read_numbers(scene):
    """What the scene of a robot has, without what is added: as robot_numbers has it."""
    numbers = robot_numbers.Numbers()
    for body in scene.get("bodies", []):
        if "mass" not in body or "(added)" in body["name"]:
            continue
        I = body["inertia"]
        inertia = robot_numbers.diagonal(*I) if not isinstance(I[0], list) else I
        turn = body["orientation"]["quaternion"] if "orientation" in body else (1, 0, 0, 0)
        X = robot_numbers.Pose(body.get("position", (0, 0, 0)), robot_numbers.of_quaternion(turn))
        numbers.bodies[body["name"]] = robot_numbers.Mass(body["mass"], inertia=inertia).at(X)
    for joint in scene.get("joints", []):
        motors = sum("motor" in law for law in joint.values() if isinstance(law, dict))
        is_added = joint["name"].startswith("tendon ") or any(kind in joint for kind in ("rope", "line", "rotation"))
        numbers.joints += 0 if is_added else 1 + joint["name"].count(" + ")
        numbers.actuators += motors
    numbers.actuators += sum(force.get("point_force", {}).get("follows", False) for force in scene.get("forces", []))
    return numbers


def deviation(found, expected):
    """Largest difference of two bodies' masses, centres and inertias, relative; centres in metres or relative."""
    size = max(1.0, *map(abs, expected.centre))
    moment = max(abs(x) for row in expected.inertia for x in row)
    return max(abs(found.mass / expected.mass - 1),
               *(abs(x - y) / size for x, y in zip(found.centre, expected.centre)),
               *(abs(x - y) / moment for p, q in zip(found.inertia, expected.inertia) for x, y in zip(p, q)))


def worst_deviation(found, expected, is_moved_up):
    """Each body beside the one that it is nearest to; a robot on a floor that is added has been moved up."""
    left = list(found)
    if is_moved_up:
        shift = robot_numbers.together(expected).centre[2] - robot_numbers.together(left).centre[2]
        left = [body.at(robot_numbers.Pose((0, 0, shift))) for body in left]
    worst = 0
    for body in expected:
        off, nearest = min((deviation(other, body), i) for i, other in enumerate(left))
        worst = max(worst, off)
        del left[nearest]
    return worst


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
    ("heightfield", MJCF.format(BODY.format("\n<geom type='hfield' hfield='h'/>")), 3, 'no hfield "h"'),
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
    ("short_euler", MJCF.format("\n<compiler eulerseq='x'/>" + BODY.format('<geom size="0.1" euler="1 2 3"/>')), 3, "three of the letters"),
    ("global", MJCF.format("\n<compiler coordinate='global'/>" + BODY.format(BALL)), 3, "global coordinates"),
    ("zero_step", MJCF.format("\n<option timestep='0'/>" + BODY.format(BALL)), 3, "positive time"),
    ("composite", MJCF.format("<worldbody>\n<composite/></worldbody>"), 3, "<composite> is not read"),
    ("flexcomp", MJCF.format("<worldbody>\n<flexcomp/></worldbody>"), 3, "<flexcomp> is not read"),
    ("plugin", MJCF.format("\n<extension/>" + BODY.format(BALL)), 3, "<extension> is not read"),
    ("attach_nothing", MJCF.format("<worldbody>\n<attach/></worldbody>"), 3, "needs model"),
    ("attach_unknown", MJCF.format("<worldbody>\n<attach model='m'/></worldbody>"), 3, 'no model "m"'),
    ("attach_missing", MJCF.format("<asset>\n<model name='m' file='no.xml'/></asset><worldbody><attach model='m'/></worldbody>"), 3, "no.xml"),
    ("attach_itself", MJCF.format("<asset><model name='m' file='attach_itself.xml'/></asset><worldbody>\n"
                                  "<attach model='m' prefix='x'/></worldbody>"), 3, "more than 8 deep"),
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
    ("field_without_size", MJCF.format(FIELD.format("nrow='2' ncol='2'") + BODY.format(BALL)), 3, "4 positive lengths"),
    ("field_of_one_row", MJCF.format(FIELD.format("nrow='1' ncol='2' size='1 1 1 1'") + BODY.format(BALL)), 3, "nrow and ncol from 2"),
    ("field_short", MJCF.format(FIELD.format("nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'") + BODY.format(BALL)), 3,
     "expected 4 numbers, got 3"),
    ("field_missing", MJCF.format(FIELD.format("size='1 1 1 1' file='no.bin'") + BODY.format(BALL)), 3, "no.bin"),
    ("field_of_no_picture", MJCF.format(FIELD.format("size='1 1 1 1' file='no.png'") + BODY.format(BALL)), 3, "no.png"),
    ("field_not_a_picture", MJCF.format(FIELD.format("size='1 1 1 1' file='field_not_a_picture.xml' content_type='image/png'") +
                                        BODY.format(BALL)), 3, "not a PNG picture"),
    ("limited_without_range", MJCF.format(BODY.format(BALL + "<body>\n<joint limited='true'/>" + BALL + "</body>")), 3, "there is no range"),
    ("range_backwards", MJCF.format(BODY.format(BALL + "<body>\n<joint range='2 1'/>" + BALL + "</body>")), 3, "the smaller number first"),
    ("inherited_range", MJCF.format(SLIDE + "<actuator>\n<position joint='j' inheritrange='1'/></actuator>"), 3, "has no range"),
    ("tendon_of_one_site", MJCF.format("<worldbody><site name='s'/></worldbody><tendon>\n<spatial><site site='s'/></spatial></tendon>"), 3,
     "needs two sites"),
    ("pulley_without_divisor", MJCF.format("<worldbody><site name='s'/></worldbody><tendon><spatial><site site='s'/>\n<pulley/>"
                                           "</spatial></tendon>"), 3, "a positive number"),
    ("weld_apart", MJCF.format("<worldbody><body name='a'/><body name='b'>" + BALL + "<joint/></body></worldbody><equality>\n"
                               "<weld body1='a' body2='b' relpose='1 0 0 1 0 0 0'/></equality>"), 3, "1 m and 0 rad apart"),
    ("moving_field", MJCF.format(FIELD.format("nrow='2' ncol='2' size='1 1 1 1'") +
                                 BODY.format(BALL + "\n<geom type='hfield' hfield='h'/>")), 4, "it cannot move"),
    ("fitted_box", MJCF.format(BODY.format("\n<geom type='box' mesh='m'/>")), 3, "fitted to a mesh"),
    ("angle_word", MJCF.format("\n<compiler angle='radians'/>" + BODY.format(BALL)), 3, "expected degree, radian"),
    ("tendon_unknown_joint", MJCF.format(BODY.format(BALL) + "<tendon><fixed>\n<joint joint='j' coef='1'/></fixed></tendon>"), 3,
     'no hinge or slide "j"'),
    ("tendon_without_coef", MJCF.format(SLIDE + "<tendon><fixed>\n<joint joint='j'/></fixed></tendon>"), 3, "needs joint and coef"),
    ("tendon_twice", MJCF.format(SLIDE + "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed>\n"
                                 "<fixed name='t'><joint joint='j' coef='1'/></fixed></tendon>"), 3, 'already a tendon "t"'),
    ("tendon_loose", MJCF.format(SLIDE + "<tendon><fixed damping='-1'>\n<joint joint='j' coef='1'/></fixed></tendon>"), 2, "at least 0"),
    ("tendon_unknown_site", MJCF.format(BODY.format(BALL) + "<tendon><spatial>\n<site site='s'/></spatial></tendon>"), 3, 'no site "s"'),
    ("equality_unknown_tendon", MJCF.format(BODY.format(BALL) + "<equality>\n<tendon tendon1='t'/></equality>"), 3, 'no tendon "t"'),
    ("pair_unknown_geom", MJCF.format(BODY.format(BALL) + "<contact>\n<pair geom1='a' geom2='b'/></contact>"), 3, 'no geom "a"'),
    ("pair_of_one", MJCF.format(BODY.format(BALL) + "<contact>\n<pair/></contact>"), 3, "needs geom1 and geom2"),
    ("deep_bodies", MJCF.format("<worldbody>" + "<body>" * 100000 + "</body>" * 100000 + "</worldbody>"), 2, "nested more than"),
]


class BrokenRobots(unittest.TestCase):
    def test_each_ends_with_2_and_says_where(self):
        """Exit code 2, nothing on stdout, the line and what is wrong on stderr."""
        self.assertGreaterEqual(len(BROKEN_URDF) + len(BROKEN_MJCF), 85)
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
        for file in sorted([*OWN.rglob("*.urdf"), OWN / "biped.xml", OWN / "pendulum.xml", OWN / "reach.xml", OWN / "crab.xml"]):
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

    def test_heights_of_a_picture(self):
        """A grey picture is ground, of 8 or 16 bits: black is 0, white the height, its first row the farthest along y."""
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        def picture(bits, colours, rows):
            head = struct.pack(">IIBBBBB", len(rows[0]) // colours, len(rows), bits, {1: 0, 3: 2}[colours], 0, 0, 0)
            lines = b"".join(b"\0" + b"".join(struct.pack(">H" if bits == 16 else "B", x) for x in row) for row in rows)
            return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")

        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "ground.xml").write_text(MJCF.format(
                FIELD.format("size='1 1 0.5 0.1' file='ground.png'") + "<worldbody><geom type='hfield' hfield='h'/></worldbody>"))
            for bits, most in ((8, 255), (16, 65535)):
                Path(folder, "ground.png").write_bytes(picture(bits, 1, [[0, most, 0], [0, 0, most // 5]]))
                result = talus("convert", "ground.xml", cwd=folder)
                self.assertEqual(result.returncode, 0, result.stderr)
                [body] = scene_text.read(result.stdout)["bodies"]
                self.assertEqual(body["shape"]["mesh"]["heights"], [[0, 0, 0.1], [0, 0.5, 0]])
            Path(folder, "ground.png").write_bytes(picture(8, 3, [[0] * 6, [9] * 6]))
            result = talus("check", "ground.xml", cwd=folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn("ground.xml:3", result.stderr)
            self.assertIn("expected a grey picture", result.stderr)

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
        """A pendulum and an arm with a gripper, each written in both ways: the same numbers give the same motion, bit for bit."""
        for name in ("pendulum", "reach"):
            with self.subTest(name):
                self.assertEqual(state_hash(f"{name}.urdf"), state_hash(f"{name}.xml"))

    def test_the_numbers_are_those_of_the_file(self):
        """Bodies, joints, actuators, masses, centres and inertias agree with an independent reader to 1e-12."""
        for file in sorted([*OWN.rglob("*.urdf"), *OWN.glob("*.xml")]):
            if file.name == "walker_parts.xml":
                continue
            with self.subTest(file.name):
                found, expected = read_numbers(scene_of(file)), robot_numbers.read(file)
                self.assertEqual((len(found.bodies), found.joints, found.actuators),
                                 (len(expected.bodies), expected.joints, expected.actuators))
                off = worst_deviation(found.bodies.values(), expected.bodies.values(), file.suffix == ".urdf")
                self.assertLessEqual(off, 1e-12)

    def test_numbers_of_random_files(self):
        """The same of random files: frames turned in every way, classes, groups, welded bodies."""
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(12):
                for name, kind in (("robot.xml", random_robots.Mjcf), ("robot.urdf", random_robots.Urdf)):
                    with self.subTest(f"{name} {seed}"):
                        file = Path(folder, name)
                        file.write_text(kind(seed).text())
                        found, expected = read_numbers(scene_of(file)), robot_numbers.read(file)
                        self.assertEqual((len(found.bodies), found.joints), (len(expected.bodies), expected.joints))
                        off = worst_deviation(found.bodies.values(), expected.bodies.values(), False)
                        self.assertLessEqual(off, 1e-12)

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


def shared_files():
    """The robots of the shared collection, without files that are parts of others."""
    return [file for file in sorted([*SHARED.rglob("*.urdf"), *SHARED.rglob("*.xml")]) if file.parent.name != "common"]


@unittest.skipUnless(SHARED.is_dir(), f"no shared models: {SHARED}")
class SharedRobots(unittest.TestCase):
    def test_the_numbers_are_those_of_the_file(self):
        """Bodies, joints, actuators, masses, centres and inertias agree with an independent reader to 1e-12; or a place says why not."""
        table, read = [f"{'file':72} bodies joints actuators    mass [kg]  off by"], 0
        for file in shared_files():
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
            found, expected = read_numbers(scene_of(file)), robot_numbers.read(file)
            count = (len(found.bodies), found.joints, found.actuators)
            self.assertEqual(count, (len(expected.bodies), expected.joints, expected.actuators), name)
            off = worst_deviation(found.bodies.values(), expected.bodies.values(), file.suffix == ".urdf")
            self.assertLessEqual(off, 1e-12, name)
            mass = math.fsum(body.mass for body in found.bodies.values())
            table.append(f"{name:72} {count[0]:6} {count[1]:6} {count[2]:9} {mass:12.6g}  {off:.0e}")
        print("\n".join(table))
        self.assertGreaterEqual(read, 18)

    def test_group_coverage(self):
        """A file is wholly understood where nothing of it is refused; most are, and of the others it is said what stops them."""
        whole, stopped = 0, []
        for file in shared_files():
            result = talus("check", "--json", file)
            answer = json.loads(result.stdout.splitlines()[-1])
            reasons = ([mistake["message"] for mistake in answer["mistakes"]] if result.returncode == 2 else
                       [note for note in answer.get("robot_notes", []) if note.startswith("refused")])
            whole += not reasons
            stopped += [f"{file.relative_to(SHARED)}: {reasons[0][:100]}"] if reasons else []
        files = len(shared_files())
        print(f"wholly understood: {whole} of {files}", *stopped, sep="\n")
        self.assertGreaterEqual(whole / files, 0.8)


def with_full_paths(node):
    """The same scene for another folder: `talus convert` names files from the one that it is called in."""
    if isinstance(node, list):
        return [with_full_paths(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: str((OWN / value).resolve()) if key == "file" else with_full_paths(value) for key, value in node.items()}


def held_scene(file):
    """The scene of a robot whose every coordinate without a motor is held where it starts by PD control, for 10 s."""
    scene = scene_of(file)
    bodies = [body for body in scene["bodies"] if "mass" in body]
    mass = math.fsum(body["mass"] for body in bodies)
    places = [body.get("position", [0, 0, 0]) for body in bodies if "(added)" not in body["name"]]
    size = max(0.1, *(math.dist(p, places[0]) for p in places))
    turn = 20 * mass * 9.81 * size
    strength = {"turn": turn, "slide": turn / size ** 2}
    start = scene.get("joint_positions", {})
    kinds = {"revolute": ["turn"], "prismatic": ["slide"], "universal": ["turn", "second_turn"], "screw": ["turn"],
             "cylindrical": ["turn", "slide"], "ball": ["turn_x", "turn_y", "turn_z"], "planar": ["slide_x", "slide_y", "turn"]}
    for joint in scene.get("joints", []):
        for kind in kinds.keys() & joint.keys():
            for name in kinds[kind]:
                if joint["name"].startswith("tendon "):
                    continue
                own = start.get(joint["name"], 0)
                k = strength["slide" if name.startswith("slide") else "turn"]
                joint.setdefault(name, {})["motor"] = {"position": own.get(name, 0) if isinstance(own, dict) else own,
                                                       "stiffness": k, "damping": 0.1 * k}
    scene["record"]["every"] = int(scene["record"]["every"])
    scene["time"]["end"] = 10
    return scene


@unittest.skipUnless(SHARED.is_dir(), f"no shared models: {SHARED}")
class SharedRobotsHeld(unittest.TestCase):
    """A test of its own that takes a minute or two."""

    def test_all_are_held_for_10_s(self):
        """Every robot drops from its start and is held by PD motors: all steps certified at 1e-6, joints off by no more than 1e-12."""
        table, held = [f"{'file':72} steps  ms a step  drift  worst of what is asked"], 0
        for file in shared_files():
            if talus("check", file).returncode != 0:
                continue
            with self.subTest(file.name), tempfile.NamedTemporaryFile("w", suffix=".yaml") as copy:
                json.dump(with_full_paths(held_scene(file)), copy)
                copy.flush()
                result = talus("run", copy.name, "--no-record", "--quiet", "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                summary = json.loads(result.stdout.splitlines()[-1])
                drift = summary.get("joints", {}).get("joint_drift", {}).get("value", 0)
                self.assertEqual(summary["uncertified_steps"], 0, summary["first_uncertified"])
                self.assertEqual(summary["tolerance"], 1e-6)
                self.assertLessEqual(drift, 1e-12)
                held += 1
                worst = summary["worst_certificate"]
                table.append(f"{str(file.relative_to(SHARED)):72} {summary['steps']:5} {1e3 * summary['wall_seconds'] / summary['steps']:9.3f}"
                             f"  {drift:.0e}  {worst['value'] / worst['asked']:.2f}")
        print("\n".join(table))
        self.assertGreaterEqual(held, 18)


if __name__ == "__main__":
    unittest.main()
