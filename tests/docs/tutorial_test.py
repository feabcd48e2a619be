import json
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

    def last_row(self, record, body):
        """The last recorded state of a body: {column: value}."""
        result = subprocess.run([PROGRAM, "export", record, "--body", body], cwd=self.folder.name, text=True,
                                capture_output=True, check=True)
        rows = [line for line in result.stdout.splitlines() if not line.startswith("#")]
        return dict(zip(rows[0].split(","), map(float, rows[-1].split(","))))

    # Every file and command of the tutorial works and prints what the tutorial shows.
    def test_every_command_runs(self):
        self.assertGreater(self.count, 5)
