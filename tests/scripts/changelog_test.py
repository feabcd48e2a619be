from tree import TreeTest

CHANGELOG = """# Changelog

## 0.2.0 (unreleased)

### Added
- Old.

## 0.1.0

### Added
- Oldest.
"""


class Changelog(TreeTest):
    def setUp(self):
        super().setUp()
        self.changelog = self.write("CHANGELOG.md", CHANGELOG)
        self.write("changelog.d/README.md", "# How\n")
        self.page = self.write("changelog.d/a-page.md", "Added\nA page of\nmany lines.\n")
        self.write("changelog.d/rows-that-turn.md", "Numerics\nRows that turn gain nothing (1 J before).\n")

    # Files of the form are good, and checking changes nothing.
    def test_good(self):
        self.assert_good("changelog.py")
        self.assertEqual(self.changelog.read_text(), CHANGELOG)

    # Folding puts every entry below its kind in the topmost version, makes kinds that are not there, and removes the files.
    def test_fold(self):
        self.assert_good("changelog.py", "--fold")
        text = self.changelog.read_text()
        self.assertIn("### Added\n- A page of\n  many lines.\n- Old.\n\n### Numerics\n- Rows that turn gain nothing "
                      "(1 J before).\n\n## 0.1.0\n\n### Added\n- Oldest.\n", text)
        self.assertFalse(self.page.exists())
        self.assert_good("changelog.py", "--fold")
        self.assertEqual(self.changelog.read_text(), text)

    # An unknown kind, a file without text, an unfinished sentence and a name with a space are reported; nothing is folded then.
    def test_mistakes(self):
        self.write("changelog.d/b.md", "Removed\nSomething.\n")
        self.write("changelog.d/c.md", "Fixed\n")
        self.write("changelog.d/d.md", "Fixed\nNo full stop\n")
        self.write("changelog.d/e f.md", "Fixed\nA name.\n")
        for message in ("b.md:1: expected one of Added, Changed, Fixed, Numerics, got 'Removed'",
                        "c.md:2: expected the text", "d.md:2: expected a sentence", "e f.md:1: expected a name"):
            self.assert_mistake(message, "changelog.py", "--fold")
        self.assertEqual(self.changelog.read_text(), CHANGELOG)
