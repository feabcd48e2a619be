import json
import os
import shutil
import subprocess
import unittest

from tree import REPOSITORY, TreeTest

MISTAKE = "#include <string>\nint f(std::string text) { return static_cast<int>(text.size()); }\n"


@unittest.skipUnless(shutil.which("clang-tidy-14"), "clang-tidy-14 is not installed")
class CheckTidy(TreeTest):
    def setUp(self):
        super().setUp()
        shutil.copy(REPOSITORY / ".clang-tidy", self.root)
        self.git("init", "-q")
        self.write("src/talus/base/old.cpp", MISTAKE)
        self.commit("2026-01-01T12:00:00Z")
        self.write("src/talus/base/new.cpp", "int g() { return 1; }\n")
        self.commit()
        commands = [{"directory": str(self.root), "file": str(path), "command": f"c++ -std=c++20 -c {path}"}
                    for path in (self.root / "src/talus/base").iterdir()]
        self.write("build/release/compile_commands.json", json.dumps(commands))

    def git(self, *command, environment=None):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=t", "-c", "user.email=t@example.org",
                        *command], check=True, env=environment)

    def commit(self, date="2026-01-02T12:00:00Z"):
        self.git("add", "-A")
        environment = os.environ | {"GIT_COMMITTER_DATE": date}
        self.git("commit", "-q", "-m", "x", "--date", date, environment=environment)

    # Only what changed since the base is looked at; by default in the last twelve hours of work.
    def test_changed_files_only(self):
        code, output = self.check("check_tidy.py", "--build", "build/release")
        self.assertEqual(code, 0, output)
        self.assertIn("1 of 1 sources", output)
        self.write("src/talus/base/newer.cpp", "int h() { return 1; }\n")
        self.commit("2026-01-02T20:00:00Z")
        code, output = self.check("check_tidy.py", "--build", "build/release", "--budget", "-1")
        self.assertIn("0 of 2 sources", output)

    # A mistake in a changed file is reported with file and line.
    def test_mistake(self):
        self.write("src/talus/base/new.cpp", MISTAKE)
        self.assert_mistake("src/talus/base/new.cpp:2: the parameter 'text' is copied", "check_tidy.py", "--build", "build/release")

    # A changed header is looked at through its own source, then through all that include it.
    def test_includers_of_changed_headers(self):
        self.write("src/talus/base/old.hpp", "#pragma once\n")
        self.write("src/talus/base/between.hpp", "#pragma once\n#include <talus/base/old.hpp>\n")
        self.write("src/talus/base/user.cpp", "#include <talus/base/between.hpp>\n")
        self.commit("2026-01-03T12:00:00Z")
        self.write("src/talus/base/old.hpp", "#pragma once\nint g();\n")
        self.commit("2026-01-05T12:00:00Z")
        code, output = self.check("check_tidy.py", "--build", "build/release", "--budget", "-1")
        self.assertIn("0 of 2 sources", output)
        self.assertLess(output.index("base/old.cpp"), output.index("base/user.cpp"))
        self.assertNotIn("new.cpp", output)

    # Files that the time budget leaves out are named.
    def test_budget(self):
        code, output = self.check("check_tidy.py", "--build", "build/release", "--budget", "-1")
        self.assertIn("not looked at, the -1 s were up: src/talus/base/new.cpp", output)
        self.assertIn("0 of 1 sources", output)
