from tree import TreeTest


class CheckSources(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("src/talus/base/a.hpp", "#pragma once\n#include <vector>\nstd::vector<int> a();\n")
        self.write("src/talus/base/a.cpp", "#include <talus/base/a.hpp>\n\nstd::vector<int> a() { return {}; }\n")
        self.write("src/talus/base/only.hpp", "#pragma once\n#include <talus/base/a.hpp>\n")

    # Headers that include what they use pass.
    def test_good_tree(self):
        self.assert_good("check_sources.py")

    # A header without source that leans on its includer is reported with the compiler's message.
    def test_incomplete_header(self):
        self.write("src/talus/base/only.hpp", "#pragma once\nstd::string name();\n")
        self.assert_mistake("src/talus/base/only.hpp:1: does not compile alone", "check_sources.py")

    # So is a source that names what another one has, which a build of several sources as one takes.
    def test_incomplete_source(self):
        self.write("src/talus/base/b.cpp", "int twice() { return 2 * kSecret; }\n")
        self.assert_mistake("src/talus/base/b.cpp:1: does not compile alone", "check_sources.py")

    # Any compiler reports it.
    def test_other_compiler(self):
        self.assert_good("check_sources.py", "--compiler", "g++")
        self.write("src/talus/base/b.cpp", "int twice() { return 2 * kSecret; }\n")
        self.assert_mistake("src/talus/base/b.cpp:1: does not compile alone", "check_sources.py", "--compiler", "g++")

    # A source that does not include its own header first is reported: the build would not show it.
    def test_order(self):
        self.write("src/talus/base/a.cpp", "#include <vector>\n#include <talus/base/a.hpp>\n")
        self.assert_mistake("src/talus/base/a.cpp:1: include its own header first", "check_sources.py")

    # What the time budget leaves out is counted; the order of includes is checked nevertheless.
    def test_budget(self):
        code, output = self.check("check_sources.py", "--budget", "-1")
        self.assertEqual(code, 0, output)
        self.assertIn("2 headers, 1 sources, 2 of these not compiled: the -1 s were up", output)
        self.assert_good("check_sources.py", "--budget", "60")

    # --fix puts the own header first and changes nothing else.
    def test_fix(self):
        source = self.write("src/talus/base/a.cpp", "#include <vector>\n\n#include <talus/base/a.hpp>\nint x;\n")
        self.assert_good("check_sources.py", "--fix")
        self.assertEqual(source.read_text(), "#include <talus/base/a.hpp>\n\n#include <vector>\n\nint x;\n")
        self.assert_good("check_sources.py")
