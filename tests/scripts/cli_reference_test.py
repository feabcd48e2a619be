import subprocess
import sys

from tree import REPOSITORY, TreeTest

PROGRAM = r"""#!/bin/sh
case $* in
  --version) echo 'talus 1.2.3 (abc)' ;;
  --help) cat <<'END'
Talus: an engine
Usage: talus [OPTIONS] SUBCOMMAND

Options:
  -h,--help                   Print this help message and exit

Subcommands:
  help                        Tells about a verb
  run                         Runs a scene
END
    ;;
  'run --help') cat <<'END'
Runs a scene
Usage: talus run [OPTIONS] [scene]

Positionals:
  scene TEXT REQUIRED         Scene file

Options:
  -h,--help                   Print this help message and exit
  -o,--output TEXT Excludes: --no-record
                              Record to write: a_b.h5
  --every INT:above 0 Needs: --output
                              One of so many
  --dump INT:from 1 to 9=2 Write some
[Option Group: what]
  One of 
  [Exactly 1 of the following options is required]
  Options:
    --series TEXT               A series [s]

Examples:
  talus run scene.yaml   # prose

A text that is -o
two lines long.
END
    ;;
esac
"""


class CliReference(TreeTest):
    def setUp(self):
        super().setUp()
        self.program = self.write("talus", PROGRAM)
        self.program.chmod(0o755)

    def reference(self, *arguments):
        return subprocess.run([sys.executable, "-B", str(REPOSITORY / "scripts/cli_reference.py"), str(self.program), *arguments],
                              text=True, capture_output=True, check=True).stdout

    # The page has each verb with its arguments, options, examples and texts; ranges, defaults and what excludes what stand after them.
    def test_page(self):
        page = self.reference()
        self.assertIn("| [`talus run`](#talus-run) | Runs a scene |", page)
        for line in ("- `scene TEXT`: Scene file (required)", "- `-o, --output TEXT`: Record to write: a\\_b.h5 (not with `--no-record`)",
                     "- `--every INT`: One of so many (above 0; needs `--output`)", "- `--dump INT`: Write some (from 1 to 9; default 2)",
                     "**Exactly one of**", "- `--series TEXT`: A series \\[s\\]", "    talus run scene.yaml   # prose",
                     "A text that is `-o` two lines long."):
            self.assertIn(line + "\n", page)
        self.assertNotIn("talus help", page.split("## ", 1)[1])

    # Manual pages say the same, with hyphens that can be copied; man reads them without a warning.
    def test_manual(self):
        folder = self.root / "man"
        self.reference("--man", str(folder))
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["talus-run.1", "talus.1"])
        page = (folder / "talus-run.1").read_text()
        self.assertTrue(page.startswith('.TH TALUS-RUN 1 "" "talus 1.2.3" "Talus"\n.SH NAME\ntalus\\-run \\- Runs a scene\n'))
        self.assertIn(".TP\n\\fB\\-o, \\-\\-output TEXT\\fR\nRecord to write: a_b.h5 (not with \\-\\-no\\-record)\n", page)
        self.assertIn(".SH EXAMPLES\n.nf\ntalus run scene.yaml   # prose\n.fi\n", page)
        self.assertIn(".SH SEE ALSO\n\\fBtalus\\fR(1)\n", page)
