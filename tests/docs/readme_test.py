import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ["TALUS_PROGRAM"])
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def indented(heading):
    """The lines of the indented blocks of a section."""
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^    (.*)$", section, re.M)


class Readme(unittest.TestCase):
    # Every command of the tour works, one after another in one folder; those that take minutes say so, and are left out here
    # like those for which a program is missing.
    def test_tour(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("examples", "data", "src"):
                (root / name).symlink_to(REPOSITORY / name)
            (root / "talus").symlink_to(PROGRAM)
            script, lines = "set -eu\n", 0
            for line in indented("A tour"):
                command = line.split("   #")[0].strip()
                needs = {"plot": "gnuplot", "render": "no browser in this test", "view": "no page in this test"}
                tool = next((tool for verb, tool in needs.items() if command.startswith(f"talus {verb} ")), None)
                without_mpi = " --ranks " in command and not (PROGRAM.parent / "talus-mpi").exists()
                if re.search(r"# \(\d+ min\)", line) or (tool and not shutil.which(tool)) or without_mpi:
                    continue
                script += f"echo '{command}' >&2\n{command}\n"
                lines += 1
            self.assertGreater(lines, 15)
            result = subprocess.run(["bash", "-c", script], cwd=root, text=True, capture_output=True, timeout=280)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(sorted(path.name for path in root.iterdir()), ["data", "examples", "src", "talus", "tour"])

    # The sample of a summary is what the run prints, but for its times.
    def test_sample(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([PROGRAM, "run", REPOSITORY / "examples/four_balls"], cwd=folder, text=True,
                                    capture_output=True, check=True)
            sample = [line for line in indented("Two commands") if not line.startswith("./talus")]
            printed = result.stdout.splitlines()
            self.assertEqual(sample[0].split(" in ")[0], printed[0].split(" in ")[0])
            self.assertEqual(sample[1:], printed[1:])


if __name__ == "__main__":
    unittest.main()
