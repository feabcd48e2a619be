import json
import os
import subprocess
import sys

from tree import REPOSITORY, TreeTest

PROGRAM = "#!/bin/sh\n[ $# = 0 ] && printf 'block_products\\nsweeps\\n'\n"
VALGRIND = """#!/bin/sh
for name; do :; done
[ "$name" = sweeps ] && count=SWEEPS || count=1000
echo "==1== Collected : $count" >&2
"""


class CompareRatios(TreeTest):
    """The counts come from a valgrind that is written here: 1000 for the reference."""

    def compare(self, sweeps, *arguments):
        program = self.write("a/b/c/ratio_runs", PROGRAM)
        program.chmod(0o755)
        self.write("bin/valgrind", VALGRIND.replace("SWEEPS", str(sweeps))).chmod(0o755)
        result = subprocess.run([sys.executable, "-B", str(REPOSITORY / "scripts" / "compare_ratios"), "--program", str(program),
                                 "--stored", str(self.root / "ratios.json"), *arguments], text=True, capture_output=True,
                                env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        return result.returncode, result.stdout + result.stderr

    # Ratios that are stored compare as good up to 2 %, beyond that the run is named; a new compiler is not compared.
    def test_drift(self):
        self.assertEqual(self.compare(2000, "--write")[0], 0)
        stored = json.loads((self.root / "ratios.json").read_text())
        self.assertEqual(stored["ratios"], {"sweeps": 2.0})
        self.assertEqual(self.compare(2030)[0], 0)
        for count in (2050, 1950):
            code, output = self.compare(count)
            self.assertEqual(code, 1, output)
            self.assertIn("more than 2 % off: sweeps", output)
        self.write("ratios.json", json.dumps({**stored, "compiler": "other 1.0"}))
        code, output = self.compare(4000)
        self.assertEqual(code, 0, output)
        self.assertIn("not compared", output)

    # A run of which nothing is counted is an error, not a ratio of 0.
    def test_nothing_counted(self):
        code, output = self.compare(0, "--write")
        self.assertEqual(code, 1)
        self.assertIn("sweeps was not counted", output)
