import csv
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from page import run_page

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TALUS_PROGRAM"]


class Tutorial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.count = run_page(REPOSITORY / "docs/tutorial.md", PROGRAM, cls.folder.name, cls("test_every_command_runs"))

    def rows(self, record, body):
        """The recorded states of a body: [{column: value}]."""
        result = subprocess.run([PROGRAM, "export", record, "--body", body], cwd=self.folder.name, text=True,
                                capture_output=True, check=True)
        names, *rows = csv.reader(result.stdout.splitlines())
        return [dict(zip(names, map(float, row))) for row in rows]

    # Every file and command of the tutorial works and prints what the tutorial shows.
    def test_every_command_runs(self):
        self.assertGreater(self.count, 5)

    # The ball of section 1 has come to rest on the floor before its two seconds are over.
    def test_ball_rests(self):
        last = self.rows("ball.h5", "ball")[-1]
        self.assertAlmostEqual(last["position_z [m]"], 0.1, delta=1e-3)
        self.assertAlmostEqual(last["velocity_z [m/s]"], 0, delta=1e-6)

    # Section 2: with μ = 0.5 the block stays; with μ = 0.2 it slides ½ g (sin 20° − 0.2 cos 20°) t²,
    # where stepping adds at most one step of the final speed.
    def test_block_sticks_and_slides(self):
        for record, friction in (("incline.h5", 0.5), ("slide.h5", 0.2)):
            first, *_, last = self.rows(record, "block")
            moved = math.dist(*([row[f"position_{axis} [m]"] for axis in "xyz"] for row in (first, last)))
            slope = math.radians(20)
            acceleration = max(0, 9.81 * (math.sin(slope) - friction * math.cos(slope)))
            self.assertAlmostEqual(moved, acceleration / 2, delta=1e-6 + acceleration * 1e-3, msg=record)

    # Section 3: the topmost box stands still; hit by the ball, it does not.
    def test_stack_stands_and_falls(self):
        first, *_, last = self.rows("tower.h5", "box[4]")
        for axis in "xyz":
            self.assertAlmostEqual(first[f"position_{axis} [m]"], last[f"position_{axis} [m]"], delta=1e-6)
        self.assertGreater(self.rows("knocked.h5", "box[4]")[-1]["position_x [m]"], 0.1)
