from tree import TreeTest

BIBLIOGRAPHY = """@article{moreau_1988,
  author = {Moreau, J. J.},
  title = {Unilateral contact},
  year = {1988},
}
"""


class CheckDocs(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("docs/references.bib", BIBLIOGRAPHY)
        self.write("docs/page.md", "# A heading, here\n[self](#a-heading-here) [web](https://example.org)\n")
        self.write("README.md", "[page](docs/page.md#a-heading-here) ![picture](docs/picture.svg)\n")
        self.write("docs/picture.svg")
        self.write("src/talus/base/a.hpp", "/// Source: key `moreau_1988`. Data: bed_1000_settled, papers/x_1996/.\n")

    # Documents whose links and citations lead somewhere pass.
    def test_good_tree(self):
        self.assert_good("check_docs.py")

    # A key cited in a comment or a page that the bibliography lacks is reported.
    def test_citation(self):
        self.write("src/talus/base/a.hpp", "\n/// Source: key `moreau_1999`.\n")
        self.assert_mistake("src/talus/base/a.hpp:2: moreau_1999 is not in docs/references.bib", "check_docs.py")
        self.write("docs/theory.md", "As in [jean_1999].\n")
        self.assert_mistake("docs/theory.md:1: jean_1999 is not in", "check_docs.py")

    # A bibliography entry without a field, with a wrong year, given twice or misshapen is reported.
    def test_bibliography(self):
        self.write("docs/references.bib", BIBLIOGRAPHY + "@book{Jean,\n  title = {x},\n  year = {1999},\n}\n" + BIBLIOGRAPHY)
        self.assert_mistake("references.bib:6: key Jean is not of the form author_year", "check_docs.py")
        self.assert_mistake("references.bib:6: Jean has no author", "check_docs.py")
        self.assert_mistake("references.bib:10: key moreau_1988 stands twice", "check_docs.py")
        self.write("docs/references.bib", BIBLIOGRAPHY.replace("{1988}", "{1989}"))
        self.assert_mistake("moreau_1988 is of the year 1989", "check_docs.py")
        self.write("docs/references.bib", BIBLIOGRAPHY + "@book{jean_1999, title = {x}}\n")
        self.assert_mistake("references.bib:6: not an entry of the form", "check_docs.py")

    # A link to a missing file or heading is reported.
    def test_links(self):
        self.write("README.md", "text\n[gone](docs/gone.md) [heading](docs/page.md#nowhere)\n")
        self.assert_mistake("README.md:2: link to docs/gone.md: there is no such file", "check_docs.py")
        self.assert_mistake("README.md:2: link to docs/page.md#nowhere: there is no such heading", "check_docs.py")

    # The page of tolerances says what the header says; a tolerance without scale and reason, and one that nothing uses,
    # are mistakes.
    def test_tolerances(self):
        header = self.write("src/talus/laws/tolerances.hpp",
                            "// Speeds\n/// of the speeds: at rest.\ninline constexpr Real kRest = 1e-10;\n")
        self.write("src/talus/stepping/a.cpp", "bool is_rest = v < tolerance::kRest;\n")
        self.write("docs/reference/scene.md")
        self.assert_mistake("docs/reference/tolerances.md:1: stale", "check_docs.py")
        page = self.check("tolerances.py")[1]
        self.write("docs/reference/tolerances.md", page)
        self.assertIn("| `kRest` | 1e-10 | of the speeds | at rest |", page)
        self.assert_good("check_docs.py")
        header.write_text(header.read_text().replace("1e-10", "1e-9"))
        self.assert_mistake("docs/reference/tolerances.md:1: stale", "check_docs.py")
        header.write_text("// Speeds\ninline constexpr Real kRest = 1e-10;\n")
        self.assert_mistake("tolerances.hpp:2: kRest: expected a comment 'scale: reason'", "check_docs.py")
        header.write_text("// Speeds\n/// of the speeds: at rest.\ninline constexpr Real kOther = 1e-10;\n")
        self.assert_mistake("kOther is not used", "check_docs.py")

    # A generated page that differs from what the program prints is reported as stale.
    def test_generated(self):
        program = self.program()
        page = self.write("docs/reference/scene.md", "new\n")
        self.assert_good("check_docs.py", "--talus", program)
        page.write_text("old\n")
        self.assert_mistake("docs/reference/scene.md:1: stale", "check_docs.py", "--talus", program)
        page.write_text("new\n")
        self.write("docs/reference/cli.md", "old\n")
        self.assert_mistake("docs/reference/cli.md:1: stale", "check_docs.py", "--talus", program)

    # Commands in code blocks have verbs, options and files that there are; prose beside them is not looked at.
    def test_commands(self):
        program = self.program()
        self.write("examples/balls/scene.yaml")
        page = self.write("README.md", "    ./talus run examples/balls --until 5; ls     as talus flies\n    talus runs\n")
        self.assert_mistake("README.md:2: there is no verb runs", "check_docs.py", "--talus", program)
        page.write_text("text\n```sh\ntalus run examples/balls --untill 5 && talus run examples/gone\n```\ntalus flies\n")
        self.assert_mistake("README.md:3: talus run has no option --untill", "check_docs.py", "--talus", program)
        self.assert_mistake("README.md:3: there is no examples/gone", "check_docs.py", "--talus", program)
        self.assertNotIn("flies", self.check("check_docs.py", "--talus", program)[1])

    # A key that scenes do not have is reported at its line in the page, but where a page shows a mistake.
    def test_scenes(self):
        program = self.program()
        page = self.write("docs/page.md", "# A heading, here\n```yaml\nbodies: []\nbodys: []\n```\n")
        self.assert_mistake('docs/page.md:4: unknown key "bodys"', "check_docs.py", "--talus", program)
        page.write_text(page.read_text().replace("```yaml", "```yaml mistake.yaml"))
        self.assert_good("check_docs.py", "--talus", program)

    def program(self):
        """A program with the verb run and its option --until, which knows no key but bodies."""
        program = self.write("program", r"""#!/bin/sh
case $* in
  --help) printf 'T\nUsage: talus\n\nSubcommands:\n  run   Runs\n' ;;
  'run --help') printf 'Runs\nUsage: talus run\n\nOptions:\n  --until TIME    End\n' ;;
  'check --reference') echo new ;;
  'check scene.yaml') grep -n bodys scene.yaml | sed 's/^\([0-9]*\):.*/scene.yaml:\1:1: unknown key "bodys"/'; exit 2 ;;
esac
""")
        program.chmod(0o755)
        return program
