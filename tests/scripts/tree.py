"""A small tree of files in a temporary folder, and the scripts of the repository run on it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def check(self, script, *arguments):
        """Runs a check on the tree: (exit code, output)."""
        command = [sys.executable, "-B", str(REPOSITORY / "scripts" / script), "--root", str(self.root)]
        result = subprocess.run(command + [str(a) for a in arguments], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return result.returncode, result.stdout

    def assert_good(self, script, *arguments):
        code, output = self.check(script, *arguments)
        self.assertEqual(code, 0, output)

    def assert_mistake(self, message, script, *arguments):
        code, output = self.check(script, *arguments)
        self.assertIn(message, output)
        self.assertEqual(code, 1)
