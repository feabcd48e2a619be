from tree import TreeTest

TABLE = """[layers]
base = []
solve = ["base"]
certify = ["base"]
[forbidden]
solve = ["iostream"]  # why
[only]
base = ["mpi.h"]
"""


class CheckLayers(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("scripts/layers.toml", TABLE)
        self.write("src/talus/base/types.hpp")
        self.write("src/talus/base/CMakeLists.txt", "talus_layer(base SOURCES a.cpp)")
        self.write("src/talus/solve/detail/private.hpp")
        self.write("src/talus/solve/lemke.cpp", "#include <vector>\n#include <talus/base/types.hpp>\n")
        self.write("src/talus/solve/CMakeLists.txt", "talus_layer(solve SOURCES lemke.cpp LAYERS base)")
        self.write("src/talus/certify/CMakeLists.txt", "talus_layer(certify SOURCES c.cpp LAYERS base)")

    # A tree that keeps the rules passes.
    def test_good_tree(self):
        self.assert_good("check_layers.py")

    # A layer that includes another layer it may not use is reported with file and line.
    def test_forbidden_edge(self):
        self.write("src/talus/certify/c.cpp", "\n#include <talus/solve/detail/private.hpp>\n")
        self.assert_mistake("src/talus/certify/c.cpp:2: certify must not include solve", "check_layers.py")
        self.assert_mistake("private to solve", "check_layers.py")

    # A forbidden standard header is reported.
    def test_forbidden_header(self):
        self.write("src/talus/solve/lemke.hpp", "#include <iostream>\n")
        self.assert_mistake("src/talus/solve/lemke.hpp:1: solve must not include <iostream>", "check_layers.py")

    # A header that one layer has for itself is forbidden to all others.
    def test_header_of_one_layer(self):
        self.write("src/talus/base/a.cpp", "#include <mpi.h>\n")
        self.assert_good("check_layers.py")
        self.write("src/talus/certify/c.cpp", "#include <mpi.h>\n")
        self.assert_mistake("src/talus/certify/c.cpp:1: certify must not include <mpi.h>", "check_layers.py")

    # A CMake list may not name a layer that the table forbids, in either way of writing it.
    def test_forbidden_link(self):
        self.write("src/talus/certify/CMakeLists.txt", "talus_layer(certify SOURCES c.cpp\n  LAYERS base solve)")
        self.assert_mistake("src/talus/certify/CMakeLists.txt:2: certify must not use solve", "check_layers.py")
        self.write("src/talus/certify/CMakeLists.txt", "target_link_libraries(x PRIVATE talus_base talus_solve)")
        self.assert_mistake("CMakeLists.txt:1: certify must not use solve", "check_layers.py")

    # A layer that includes what its CMake list does not name is reported.
    def test_undeclared_use(self):
        self.write("src/talus/solve/CMakeLists.txt", "talus_layer(solve SOURCES lemke.cpp)")
        self.assert_mistake("solve includes base, missing from its CMake LAYERS list", "check_layers.py")

    # An include of a header that does not exist, and one in quotes, are reported.
    def test_form_of_include(self):
        self.write("src/talus/base/a.cpp", '#include <talus/base/gone.hpp>\n#include "types.hpp"\n')
        self.assert_mistake("a.cpp:1: there is no src/talus/base/gone.hpp", "check_layers.py")
        self.assert_mistake('a.cpp:2: write #include <talus/layer/file.hpp>, not "types.hpp"', "check_layers.py")

    # A header that the layer's CMake file makes while building need not exist.
    def test_generated_header(self):
        self.write("src/talus/base/a.cpp", "#include <talus/base/made.hpp>\n")
        self.assert_mistake("there is no src/talus/base/made.hpp", "check_layers.py")
        self.write("src/talus/base/CMakeLists.txt", "set(made ${BUILD}/generated/talus/base/made.hpp)")
        self.assert_good("check_layers.py")

    # A folder that is no layer, and a table with a cycle or an unknown name, are reported.
    def test_bad_table(self):
        self.write("src/talus/extra/a.cpp")
        self.assert_mistake("src/talus/extra is no layer", "check_layers.py")
        self.write("scripts/layers.toml", '[layers]\nbase = ["solve"]\nsolve = ["bases"]\n')
        self.assert_mistake("layers.toml:2: base uses solve, which must stand above it", "check_layers.py")
        self.assert_mistake("layers.toml:3: solve: no layer is called bases", "check_layers.py")
        self.write("scripts/layers.toml", '[layers]\nbase = []\nsolve = ["base"]\noops\n')
        self.assert_mistake("layers.toml:4: Expected", "check_layers.py")
