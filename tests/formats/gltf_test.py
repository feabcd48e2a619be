import json
import math
import shutil
import struct
import subprocess
import unittest
from pathlib import Path

import h5py
import numpy

from recorded import REPOSITORY, RecordedTest

NODE = shutil.which("node") or shutil.which("nodejs")


def matrix(q):
    """Of a quaternion x, y, z, w."""
    x, y, z, w = q
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


class Gltf(RecordedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.talus("export", "shapes.h5", "--format", "gltf", "-o", "out.glb", "--every", "3")
        data = (cls.folder / "out.glb").read_bytes()
        magic, version, length, size = struct.unpack("<4sIII", data[:16])
        assert (magic, version, length) == (b"glTF", 2, len(data))
        cls.document = json.loads(data[20:20 + size])
        cls.bytes = data[28 + size:]

    def accessor(self, index):
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        count = accessor["count"] * width
        return numpy.frombuffer(self.bytes, kind, count, view["byteOffset"]).reshape(-1, width)

    def channel(self, name, path):
        animation = self.document["animations"][0]
        node = next(i for i, node in enumerate(self.document["nodes"]) if node.get("name") == name)
        channel = next(c for c in animation["channels"] if c["target"] == {"node": node, "path": path})
        sampler = animation["samplers"][channel["sampler"]]
        return self.accessor(sampler["input"])[:, 0], self.accessor(sampler["output"])

    # The Khronos validator finds nothing to remark.
    def test_validator(self):
        if NODE is None:
            self.skipTest("Node.js is not installed")
        if not (REPOSITORY / "viewer/node_modules/gltf-validator").is_dir():
            self.skipTest("gltf-validator is not in viewer/node_modules")
        script = Path(__file__).with_name("validate_gltf.cjs")
        result = subprocess.run([NODE, script, self.folder / "out.glb"], text=True, capture_output=True, check=True)
        self.assertEqual(json.loads(result.stdout)["issues"]["messages"], [])

    # Every third frame and the last: times, positions and orientations are the recorded ones.
    def test_motion(self):
        kept = [0, 3, 6, 9, 10]
        body = self.names.index("capsule")
        time, translation = self.channel("capsule", "translation")
        numpy.testing.assert_allclose(time, self.record["frames/time"][kept], rtol=1e-6)
        numpy.testing.assert_allclose(translation, self.record["poses/position"][kept, body], atol=1e-6)
        _, rotation = self.channel("capsule", "rotation")
        for mine, recorded in zip(rotation, self.record["poses/orientation"][kept, body]):
            numpy.testing.assert_allclose(matrix(mine), matrix(numpy.roll(recorded, -1)), atol=1e-6)

    # glTF's y axis is up: the root turns z to y, and changes no length (metres stay metres).
    def test_axes_and_units(self):
        root = self.document["nodes"][0]
        numpy.testing.assert_allclose(matrix(root["rotation"]) @ [0, 0, 1], [0, 1, 0], atol=1e-12)
        self.assertNotIn("scale", root)
        box = next(node for node in self.document["nodes"] if node.get("name") == "box")
        shape = self.document["nodes"][box["children"][0]]
        primitive = self.document["meshes"][shape["mesh"]]["primitives"][0]
        corners = self.accessor(primitive["attributes"]["POSITION"]) * shape["scale"]
        numpy.testing.assert_allclose(corners.max(axis=0) - corners.min(axis=0), [0.4, 0.3, 0.2], rtol=1e-6)

    # Each body is a node of its name; compounds have a child per part; fixed bodies do not move.
    def test_bodies(self):
        by_name = {node["name"]: node for node in self.document["nodes"] if "name" in node}
        self.assertEqual(set(by_name), {"world", *self.names})
        self.assertEqual(len(by_name["clump"]["children"]), 2)
        targets = {c["target"]["node"] for c in self.document["animations"][0]["channels"]}
        moving = {self.document["nodes"][t]["name"] for t in targets}
        self.assertEqual(moving, {"sphere", "box", "capsule", "roller", "hull", "clump"})

    # A pipe is the wall around its cavity: its corners at the radius and on its length, its triangles towards the axis;
    # with ends it is closed, without them open.
    def test_pipes(self):
        by_name = {node["name"]: node for node in self.document["nodes"] if "name" in node}
        for name, radius, length, volume in (("hall", 20, 30, -math.pi * 20**2 * 30), ("tube", 0.3, 0.5, None)):
            (child,) = by_name[name]["children"]
            part = self.document["nodes"][child]
            primitive = self.document["meshes"][part["mesh"]]["primitives"][0]
            corners = self.accessor(primitive["attributes"]["POSITION"]) * part["scale"]
            normals = self.accessor(primitive["attributes"]["NORMAL"])
            triangles = self.accessor(primitive["indices"]).reshape(-1, 3)
            numpy.testing.assert_allclose(numpy.hypot(corners[:, 0], corners[:, 1]), radius, rtol=1e-6)
            numpy.testing.assert_allclose(abs(corners[:, 2]), length / 2, rtol=1e-6)
            self.assertTrue((numpy.einsum("ij,ij->i", corners, normals) < 0).all())
            p, q, r = corners[triangles].transpose(1, 0, 2)
            across = numpy.cross(q - p, r - p)
            self.assertTrue((numpy.einsum("ij,ij->i", across, p) < 0).all())
            if volume is None:
                numpy.testing.assert_allclose(across[:, 2], 0, atol=1e-9)
            else:  # circles of 24 corners lose up to 3 %
                found = numpy.einsum("ij,ij->i", p, numpy.cross(q, r)).sum() / 6
                self.assertTrue(volume * 1.0001 < found < volume * 0.97)

    # What is drawn has a material: those of the scene by name with a colour of their own, a grey one for walls.
    def test_materials(self):
        by_name = {node["name"]: node for node in self.document["nodes"] if "name" in node}

        def materials(name):
            meshes = [self.document["nodes"][child]["mesh"] for child in by_name[name]["children"]]
            return {primitive["material"] for mesh in meshes for primitive in self.document["meshes"][mesh]["primitives"]}

        listed = self.document["materials"]
        (own,), (wall,) = materials("box"), materials("post")
        self.assertEqual((listed[own]["name"], listed[wall]["name"]), ("default", "wall"))
        self.assertEqual(materials("clump"), {own})
        colours = [listed[which]["pbrMetallicRoughness"]["baseColorFactor"] for which in (own, wall)]
        self.assertGreater(max(colours[0][:3]) - min(colours[0][:3]), 0.1)  # a colour
        self.assertLess(max(colours[1][:3]) - min(colours[1][:3]), 0.1)     # grey


PLANAR = """
dimension: 2
time: {step: 1 ms, end: 10 ms}
bodies:
  - {name: ground, shape: {half_plane: {}}, fixed: true}
  - {name: disc, shape: {disc: 0.2}, mass: 1, position: [0, 1]}
  - {name: box, shape: {box: [0.4, 0.3]}, mass: 1, position: [1, 1]}
  - {name: rod, shape: {rod: {radius: 0.1, length: 0.4}}, mass: 1, position: [2, 1]}
  - {name: polygon, shape: {polygon: {corners: [[0, 0], [0.3, 0], [0, 0.3]]}}, mass: 1, position: [3, 1]}
"""


class GltfOfThePlane(RecordedTest):
    # Each body of a planar scene is a node of its name with something to see.
    def test_bodies(self):
        (self.folder / "planar.yaml").write_text(PLANAR)
        self.talus("run", "planar.yaml", "--quiet")
        self.talus("export", "planar.h5", "--format", "gltf", "-o", "planar.glb")
        data = (self.folder / "planar.glb").read_bytes()
        document = json.loads(data[20:20 + struct.unpack("<4sIII", data[:16])[3]])
        shown = {node["name"] for node in document["nodes"] if "name" in node and node.get("children")}
        self.assertEqual(shown, {"world", "ground", "disc", "box", "rod", "polygon"})


MACHINE = """
time: {step: 1 ms, end: 100 ms}
record: {every: 10}
scheme: moreau_midpoint
bodies:
  - {name: hand, shape: {box: [0.2, 0.1, 0.1]}, mass: 1, position: [1.1, 0, 1]}
  - {name: forearm, shape: {box: [0.5, 0.1, 0.1]}, mass: 1, position: [0.75, 0, 1]}
  - {name: arm, shape: {box: [0.5, 0.1, 0.1]}, mass: 1, position: [0.25, 0, 1]}
  - {name: ball, shape: {sphere: 0.1}, mass: 1, position: [0, 2, 1]}
joints:
  - {name: wrist, between: [forearm, hand], ball: {at: [1, 0, 1]}}
  - {name: elbow, between: [arm, forearm], revolute: {at: [0.5, 0, 1], axis: [0, 1, 1]}}
  - {name: shoulder, between: arm, revolute: {at: [0, 0, 1], axis: [0, 1, 0]}}
"""


class GltfOfAMachine(RecordedTest):
    # The nodes of a machine are a tree as its joints are, from what holds it; poses along it give the recorded places.
    def test_tree(self):
        (self.folder / "machine.yaml").write_text(MACHINE)
        self.talus("run", "machine.yaml", "--quiet")
        self.talus("export", "machine.h5", "--format", "gltf", "-o", "machine.glb")
        data = (self.folder / "machine.glb").read_bytes()
        size = struct.unpack("<4sIII", data[:16])[3]
        self.document, self.bytes = json.loads(data[20:20 + size]), data[28 + size:]
        nodes = self.document["nodes"]
        parent = {nodes[child].get("name"): node.get("name") for node in nodes for child in node.get("children", [])}
        self.assertEqual({name: parent[name] for name in ("hand", "forearm", "arm", "ball")},
                         {"hand": "forearm", "forearm": "arm", "arm": "world", "ball": "world"})
        with h5py.File(self.folder / "machine.h5") as record:
            names = [name.decode() for name in record["bodies/name"]]
            places = record["poses/position"][-1]
        place, turn = numpy.zeros(3), numpy.eye(3)
        for name in ("arm", "forearm", "hand"):
            place = place + turn @ Gltf.channel(self, name, "translation")[1][-1]
            turn = turn @ matrix(Gltf.channel(self, name, "rotation")[1][-1])
            numpy.testing.assert_allclose(place, places[names.index(name)], atol=1e-6)

    accessor = Gltf.accessor


if __name__ == "__main__":
    unittest.main()
