"""`talus check` on the corpus of broken scenes and on the command line itself."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TALUS = os.environ["TALUS"]
BROKEN = Path(__file__).parent / "broken"
BALL = "bodies:\n  - {name: ball, shape: {sphere: 10 cm}, mass: 1 kg}\n"


def check(*arguments, cwd=BROKEN):
    return subprocess.run([TALUS, "check", *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=cwd)


def expected(path):
    """The beginnings of the messages written in a broken scene."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("# expect: ").removesuffix(" …") for line in lines if line.startswith("# expect: ")]


class BrokenScenes(unittest.TestCase):
    def test_each_ends_with_2_and_its_messages_on_stderr(self):
        """Exit code 2, nothing on stdout, every expected message at the start of a line of stderr."""
        files = sorted(BROKEN.glob("*.yaml"))
        self.assertGreaterEqual(len(files), 60)
        for path in files:
            with self.subTest(path.name):
                result = check(path.name)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertEqual(result.stdout, "")
                lines = result.stderr.splitlines()
                for message in expected(path):
                    self.assertTrue(any(line.startswith(message) for line in lines), f"{message}\n{result.stderr}")

    def test_json_has_the_same_mistakes(self):
        """With --json the mistakes are data, with their places."""
        result = check("--json", "several_mistakes.yaml")
        self.assertEqual(result.returncode, 2)
        answer = json.loads(result.stdout.splitlines()[-1])
        self.assertFalse(answer["valid"])
        self.assertEqual(len(answer["mistakes"]), 6)
        first = answer["mistakes"][0]
        self.assertEqual((first["file"], first["line"], first["column"]), ("several_mistakes.yaml", 8, 10))
        self.assertEqual(first["path"], "gravity")


class Check(unittest.TestCase):
    def test_prints_a_summary(self):
        """A valid scene ends with 0 and a summary; a folder stands for its scene.yaml."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "scene.yaml").write_text("title: One ball\ntime: {step: 2 ms, end: 3 s}\n" + BALL)
            result = check(folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            for part in ("One ball", "1 dynamic, 0 fixed, 0 kinematic", "1500 steps", "no mistakes"):
                self.assertIn(part, result.stdout)
            summary = json.loads(check("--json", folder).stdout)
            self.assertTrue(summary["valid"])
            self.assertEqual(summary["dynamic_bodies"], 1)
            self.assertEqual(summary["steps"], 1500)

    def test_counts_what_a_machine_leaves_free(self):
        """Redundant constraints are named: two hinges of a door on one line are one too many."""
        door = """bodies:
  - {name: door, shape: {box: [1, 0.05, 2]}, mass: 20 kg, position: [0.5, 0, 1]}
joints:
  - {name: lower, between: door, revolute: {at: [0, 0, 0.2], axis: [0, 0, 1]}}
  - {name: upper, between: door, revolute: {at: [0, 0, 1.8], axis: [0, 0, 1]}}
"""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "scene.yaml").write_text(door)
            self.assertIn(
                "machine    2 joints, 0 drives, 0 couplings, 0 force elements; 10 constraints, "
                "5 of them redundant (joint upper: 5), 1 loop, 1 degree of freedom\n",
                check(folder).stdout)

    def test_prints_schema_and_reference(self):
        """The JSON schema is JSON, the reference page is Markdown; no scene is needed."""
        self.assertEqual(json.loads(check("--schema").stdout)["title"], "Talus scene")
        self.assertTrue(check("--reference").stdout.startswith("# Scene files\n"))

    def test_needs_a_scene(self):
        """Without a scene, with a missing one, with an unknown flag: exit code 2 and a message."""
        for arguments in ([], ["no_such_scene.yaml"], ["--frobnicate"], ["a.yaml", "b.yaml"]):
            with self.subTest(arguments):
                result = check(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertNotEqual(result.stderr, "")


if __name__ == "__main__":
    unittest.main()
