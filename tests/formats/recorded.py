"""A small record with every kind of shape, for the tests of what Talus writes for other programs."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py

PROGRAM = os.environ["TALUS_PROGRAM"]
REPOSITORY = Path(__file__).resolve().parents[2]
SCENE = """
title: Every shape
time: {step: 1 ms, end: 100 ms}
record: {every: 10}
contacts: {default: {friction: 0.5}}
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - {name: post, shape: {cylinder: {radius: 0.05, length: 1}}, fixed: true, position: [3, 3, 0.5]}
  - {name: hall, shape: {pipe: {radius: 20, length: 30}}, fixed: true, position: [1, 1, 0]}
  - {name: tube, shape: {pipe: {radius: 0.3, length: 0.5, ends: false}}, fixed: true, position: [-2, 0, 1], orientation: {axis: [0, 1, 0], angle: 90 deg}}
  - {name: ground, shape: {mesh: {heights: [[0, 0.1], [0.1, 0]], size: [1, 1]}}, fixed: true, position: [-3, -3, 0]}
  - {name: sphere, shape: {sphere: 0.2}, mass: 1, position: [0, 0, 0.2]}
  - {name: box, shape: {box: [0.4, 0.3, 0.2]}, mass: 1, position: [1, 0, 0.1]}
  - {name: capsule, shape: {capsule: {radius: 0.1, length: 0.4}}, mass: 1, position: [2, 0, 0.5], angular_velocity: [3, 0, 0]}
  - {name: roller, shape: {cylinder: {radius: 0.1, length: 0.3}}, mass: 1, position: [0, 2, 0.5]}
  - {name: hull, shape: {hull: {points: [[0, 0, 0], [0.4, 0, 0], [0, 0.4, 0], [0, 0, 0.4]]}}, mass: 1, position: [0, 1, 0.5]}
  - {name: clump, mass: 1, position: [1, 1, 0.5], shape: {clump: [{sphere: 0.15}, {sphere: 0.1, position: [0.2, 0, 0]}]}}
"""


class RecordedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(keep.cleanup)
        cls.folder = Path(keep.name)
        (cls.folder / "shapes.yaml").write_text(SCENE)
        cls.talus("run", "shapes.yaml", "--quiet")
        cls.record = h5py.File(cls.folder / "shapes.h5")
        cls.addClassCleanup(cls.record.close)
        cls.names = [name.decode() for name in cls.record["bodies/name"]]

    @classmethod
    def talus(cls, *words, code=0):
        result = subprocess.run([PROGRAM, *words], cwd=cls.folder, text=True, capture_output=True, timeout=60)
        assert result.returncode == code, result.stderr
        return result
