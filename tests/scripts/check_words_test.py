from tree import TreeTest


class CheckWords(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("src/talus/base/a.hpp", "/// The result is returned.\n")

    # A tree in the words of the field passes.
    def test_good_tree(self):
        self.assert_good("check_words.py")

    # Words of tales are reported, with what is meant instead; decisions of the past keep theirs.
    def test_forbidden(self):
        self.write("docs/adr/0001-old.md", "Nobody knows.\n")
        self.assert_good("check_words.py")
        self.write("docs/page.md", "text\nNobody presses.\n")
        self.assert_mistake('docs/page.md:2: "Nobody": none', "check_words.py")
        self.write("src/talus/base/a.hpp", "\n/// It goes on.\n")
        self.assert_mistake('src/talus/base/a.hpp:2: "goes on": continues', "check_words.py")
