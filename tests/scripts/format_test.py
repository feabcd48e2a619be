import shutil
import subprocess
import unittest

from tree import REPOSITORY, TreeTest


@unittest.skipUnless(shutil.which("clang-format-14"), "clang-format-14 is not installed")
class Format(TreeTest):
    def format(self, *arguments):
        return subprocess.run([self.root / "scripts/format", *arguments], capture_output=True, text=True)

    # Badly formatted sources fail the check with file and line, and pass after formatting.
    def test_check_and_mend(self):
        (self.root / "scripts").mkdir()
        shutil.copy(REPOSITORY / "scripts/format", self.root / "scripts")
        shutil.copy(REPOSITORY / ".clang-format", self.root)
        self.write("src/talus/base/a.cpp", "int  f( ){return 1;}\n")
        result = self.format("--check")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("src/talus/base/a.cpp:1", result.stderr)
        self.assertEqual(self.format().returncode, 0)
        self.assertEqual((self.root / "src/talus/base/a.cpp").read_text(), "int f() { return 1; }\n")
        self.assertEqual(self.format("--check").returncode, 0)
