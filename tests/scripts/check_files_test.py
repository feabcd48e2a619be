from tree import TreeTest


class CheckFiles(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("src/talus/base/README.md", "line\n" * 30)
        self.write("src/talus/base/types.hpp", "#pragma once\n" + "//\n" * 599)

    # README.md of 30 lines and a header of 600 lines are the longest allowed.
    def test_good_tree(self):
        self.assert_good("check_files.py")

    # A layer without README.md, and one with a longer one, are reported.
    def test_readme(self):
        self.write("src/talus/math/vector.hpp", "#pragma once\n")
        self.assert_mistake("src/talus/math/README.md:1: missing", "check_files.py")
        self.write("src/talus/base/README.md", "line\n" * 31)
        self.assert_mistake("src/talus/base/README.md:31: 31 lines; at most 30", "check_files.py")

    # A source of 601 lines is reported, in every folder with sources.
    def test_length(self):
        for name in ["src/talus/base/long.cpp", "tests/unit/long.cpp", "bench/long.cpp", "scripts/long.py"]:
            self.write(name, "//\n" * 601)
            self.assert_mistake(f"{name}:601: 601 lines; at most 600", "check_files.py")

    # A header without include guard is reported.
    def test_guard(self):
        self.write("src/talus/base/a.hpp", "int x;\n")
        self.assert_mistake("src/talus/base/a.hpp:1: no #pragma once", "check_files.py")

    # A name that two sources of a layer define in anonymous namespaces is reported: a constant, a type, a function.
    # Another layer, a name outside and a declaration are none of it.
    def test_anonymous_names(self):
        text = "namespace talus::base {\nnamespace {\n%s\n}  // namespace\n%s\n}  // namespace talus::base\n"
        for definition in ["constexpr Real kSmall = 1e-9;", "struct Row {", "Real ratio(Real a, Real b) {"]:
            self.write("src/talus/base/a.cpp", text % (definition, ""))
            self.write("src/talus/base/b.cpp", text % ("", definition))
            self.assert_good("check_files.py")
            self.write("src/talus/base/b.cpp", text % (definition, ""))
            name = {"c": "kSmall", "s": "Row", "R": "ratio"}[definition[0]]
            self.assert_mistake(f"src/talus/base/b.cpp:3: {name} is also in the anonymous namespace of a.cpp", "check_files.py")
