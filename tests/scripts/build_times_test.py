import os
import subprocess
import sys
import unittest

from tree import REPOSITORY, TreeTest

SCRIPT = REPOSITORY / "scripts/build_times.py"
BURN = "import sys, time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\nsys.exit(3)\n"


class BuildTimes(TreeTest):
    def run_script(self, *arguments, **variables):
        return subprocess.run([sys.executable, "-B", str(SCRIPT), *map(str, arguments)], text=True, capture_output=True,
                              env={**os.environ, **variables})

    # As a launcher it passes the compiler's exit code on and notes its processor time beside the object.
    def test_launcher(self):
        log = self.root / "times"
        compiler = self.write("compiler.py", BURN)
        result = self.run_script(sys.executable, compiler, "-c", "a.cpp", "-o", "src/talus/math/a.o",
                                 TALUS_BUILD_TIMES=str(log))
        self.assertEqual(result.returncode, 3, result.stderr)
        seconds, name = log.read_text().split()
        self.assertEqual(name, "src/talus/math/a.o")
        self.assertGreaterEqual(float(seconds), 0.2)

    # The report sums by layer and by folder of tests, the dearest first.
    def test_report(self):
        log = self.write("times", "20.00 tests/unit/x.o\n30.00 src/talus/solve/a.o\n8.00 src/talus/solve/b.o\n2.00 x.gch\n")
        lines = self.run_script("--report", log).stdout.splitlines()
        self.assertEqual([line.split(maxsplit=2)[::2] for line in lines[:3]],
                         [["38.0", "solve"], ["20.0", "tests/unit"], ["2.0", "precompiled headers"]])
        self.assertIn("1.0 CPU-minutes in 4 objects", lines[3])
        self.assertIn("30.0 s  src/talus/solve/a.o", lines[4])


if __name__ == "__main__":
    unittest.main()
