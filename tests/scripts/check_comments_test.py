import shutil
import unittest

from tree import TreeTest


@unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed")
class CheckComments(TreeTest):
    # Comments of public headers that Doxygen reads without a warning pass; those of private ones are not looked at.
    def test_good_tree(self):
        self.write("src/talus/base/a.hpp", "#pragma once\nnamespace talus {\n/// Twice x.\n/// @param x any.\nint twice(int x);\n}\n")
        self.write("src/talus/base/detail/b.hpp", "/// @param y gone.\nint half(int x);\n")
        self.assert_good("check_comments.py")

    # A @param of an argument that is not there and markup that is not closed are reported with their lines.
    def test_mistakes(self):
        header = self.write("src/talus/base/a.hpp", "#pragma once\nnamespace talus {\n/// Twice x.\n/// @param y any.\nint twice(int x);\n}\n")
        self.assert_mistake("src/talus/base/a.hpp:4: argument 'y'", "check_comments.py")
        header.write_text("#pragma once\nnamespace talus {\n/// Twice <b>x.\nint twice(int x);\n}\n")
        self.assert_mistake("src/talus/base/a.hpp:", "check_comments.py")
