import csv
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import h5py
import numpy

from recorded import PROGRAM, REPOSITORY, RecordedTest

HAS_GNUPLOT = shutil.which("gnuplot") is not None


class Plot(RecordedTest):
    def texts(self, name):
        """What is written in an SVG file."""
        root = ElementTree.parse(self.folder / name).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        return {"".join(text.itertext()).strip() for text in root.iter("{http://www.w3.org/2000/svg}text")}

    # Labels, units and legend are in the picture.
    @unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
    def test_svg(self):
        self.talus("plot", "shapes.h5", "energies", "-o", "energies.svg", "--title", "It's <energy> & more_")
        texts = self.texts("energies.svg")
        for text in ("time [s]", "energy [J]", "kinetic energy", "total energy", "It's <energy> & more_"):
            self.assertIn(text, texts)

    # Files are overlaid and told apart; two units have two axes; powers of ten on a log axis.
    @unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
    def test_several_files_and_axes(self):
        shutil.copy(self.folder / "shapes.h5", self.folder / "other.h5")
        self.talus("plot", "shapes.h5", "other.h5", "steps/contact_count", "-o", "two.svg")
        self.assertLessEqual({"shapes: contacts", "other: contacts", "contacts"}, self.texts("two.svg"))
        self.talus("plot", "shapes.h5", "body.hull.z", "body.hull.speed", "-o", "axes.svg")
        self.assertLessEqual({"z of hull [m]", "speed of hull [m/s]"}, self.texts("axes.svg"))
        self.talus("plot", "shapes.h5", "energies/kinetic", "--log", "y", "-o", "log.svg")
        self.assertTrue(any(text.startswith("1e") for text in self.texts("log.svg")))

    # PNG and letters on the terminal.
    @unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
    def test_png_and_text(self):
        self.talus("plot", "shapes.h5", "body.hull", "-o", "hull.png", "--size", "400x300")
        data = (self.folder / "hull.png").read_bytes()
        self.assertEqual((data[1:4], data[16:24]), (b"PNG", (400).to_bytes(4, "big") + (300).to_bytes(4, "big")))
        text = self.talus("plot", "shapes.h5", "body.hull.z", "--text").stdout
        self.assertIn("z of hull", text)
        self.assertGreater(text.count("*"), 20)

    # For papers: PDF and EPS. One curve has no legend; what the certificate allows is a line with one.
    @unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
    def test_papers(self):
        for name, head in (("total.pdf", b"%PDF"), ("total.eps", b"%!PS")):
            said = self.talus("plot", "shapes.h5", "energies/total", "-o", name).stderr
            self.assertIn(f"wrote {name}", said)
            self.assertTrue((self.folder / name).read_bytes().startswith(head))
        self.talus("plot", "shapes.h5", "energies/total", "-o", "one.svg")
        self.assertNotIn("total energy", self.texts("one.svg"))
        self.assertIn("total energy [J]", self.texts("one.svg"))
        self.talus("plot", "shapes.h5", "certificates/natural_map", "--log", "y", "-o", "map.svg")
        self.assertTrue(any(text.startswith("allowed: ") for text in self.texts("map.svg")))
        self.assertIn("one point per frame", self.talus("plot", "shapes.h5", "body.hull.z", "-o", "z.csv").stderr)

    # Numbers as a table: those of the record, bit for bit.
    def test_csv(self):
        self.talus("plot", "shapes.h5", "energies", "-o", "numbers.csv")
        with open(self.folder / "numbers.csv", newline="") as file:
            head, *rows = csv.reader(file)
        self.assertEqual(head, ["time [s]", "energies/kinetic [J]", "energies/potential [J]", "energies/total [J]"])
        numbers = numpy.array(rows, float)
        numpy.testing.assert_array_equal(numbers[:, 3], self.record["energies/total"][:])

    # A series that is not there is refused with the nearest name; so are bodies and three units.
    def test_mistakes(self):
        for words, hint in ((["energies/kinetc"], "did you mean 'energies/kinetic'?"), (["energes"], "did you mean 'energies'?"), (["kinetic"], "did you mean 'energies/kinetic'?"),
                            (["body.bx.x"], "did you mean 'box'?"), (["body.box.q"], "components of a body: x, y, z"),
                            (["energies/total", "body.box.x", "body.box.vx"], "two axes"), ([], "no series is named"),
                            (["energies", "-o", "x.gif"], ".svg, .png, .pdf, .eps, .csv")):
            self.assertIn(hint, self.talus("plot", "shapes.h5", *words, code=2).stderr)
        self.assertIn("no record is named", self.talus("plot", "energies", code=2).stderr)

    # The shell completes verbs, options and their values and, once a record is named, its series and bodies.
    @unittest.skipIf(shutil.which("bash") is None, "bash is not installed")
    def test_completion(self):
        def complete(*words):
            script = (f"source {REPOSITORY}/src/talus/cli/completion.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                      '_talus; printf "%s\\n" "${COMPREPLY[@]}"')
            result = subprocess.run(["bash", "-c", script, "bash", PROGRAM, *words], cwd=self.folder, text=True,
                                    capture_output=True, check=True)
            return result.stdout.splitlines() if result.stdout.strip() else []
        self.assertEqual(complete("pl"), ["plot"])
        self.assertEqual(complete("plot", "shapes.h5", "energies/k"), ["energies/kinetic"])
        self.assertEqual(complete("plot", "sha"), [])
        self.assertEqual(complete("run", "--sche"), ["--scheme"])
        self.assertEqual(complete("run", "x.yaml", "--scheme", "stew"), ["stewart_trinkle"])
        self.assertEqual(complete("solve", "--solver", "lem"), ["lemke"])
        self.assertEqual(complete("render", "shapes.h5", "--colour", "sp"), ["speed"])
        self.assertEqual(complete("reproduce", "wang_"), ["wang_2013", "wang_2015"])
        self.assertEqual(complete("export", "shapes.h5", "--body", "bo"), ["box"])
        self.assertEqual(complete("plot", "shapes.h5", "body.box.v"), ["body.box.vx", "body.box.vy", "body.box.vz"])
        self.run_crank()
        self.assertEqual(complete("plot", "crank.h5", "reactions/crank\\ pin/force.x"), [r"reactions/crank\ pin/force.x"])
        self.assertEqual(complete("plot", "crank.h5", "drives/"), ["drives/motor/effort"])
        self.assertEqual(complete("export", "missing.h5", "--body", ""), [])

    # The shell fish does too, also where the program is named by its place; where nothing fits it offers files.
    @unittest.skipIf(shutil.which("fish") is None, "fish is not installed")
    def test_completion_fish(self):
        (self.folder / "talus").symlink_to(PROGRAM)
        def complete(line):
            script = f'source {REPOSITORY}/src/talus/cli/completion.fish; complete --do-complete "{line}"'
            return subprocess.run(["fish", "--no-config", "-c", script], cwd=self.folder, text=True, capture_output=True, check=True).stdout.split()
        self.assertEqual(complete("./talus plot shapes.h5 energies/k"), ["energies/kinetic"])
        self.assertEqual(complete("./talus run x.yaml --scheme stew"), ["stewart_trinkle"])
        self.assertEqual(complete("./talus info shapes.h"), ["shapes.h5"])

    def run_crank(self):
        self.talus("run", str(REPOSITORY / "examples/slider_crank"), "-o", "crank.h5", "--quiet", "--until", "0.02")

    # Reactions of joints and efforts of drives are series like others, also of a joint whose name has a space.
    def test_machine(self):
        self.run_crank()
        self.talus("plot", "crank.h5", "reactions/bearing", "drives/motor/effort", "reactions/crank pin/moment", "-o", "m.csv")
        with open(self.folder / "m.csv", newline="") as file:
            head, *rows = csv.reader(file)
        self.assertEqual(head[1:], ["reactions/bearing/force.x [N]", "reactions/bearing/force.y [N]", "reactions/bearing/friction [N]",
                                    "reactions/bearing/moment [N m]", "drives/motor/effort [N m]", "reactions/crank pin/moment [N m]"])
        numbers = numpy.array(rows, float)
        with h5py.File(self.folder / "crank.h5") as record:
            numpy.testing.assert_array_equal(numbers[:, 1:3], record["reactions/bearing/force"][:])
            numpy.testing.assert_array_equal(numbers[:, 5], record["drives/motor/effort"][:])
            self.assertGreater(numpy.abs(numbers[:, 1:3]).max(), 1)
        self.assertIn("did you mean 'drives/motor/effort'?", self.talus("plot", "crank.h5", "drives/moter/effort", code=2).stderr)
        if HAS_GNUPLOT:
            self.talus("plot", "crank.h5", "reactions/bearing/force", "-o", "force.svg")
            self.assertLessEqual({"force [N]", "force x of bearing"}, self.texts("force.svg"))

    # info and --list name the series; every name that is listed can be plotted.
    def test_names(self):
        lines = self.talus("plot", "shapes.h5", "--list").stdout.splitlines()
        listed = [line.split()[0] for line in lines]
        with_histogram = [line.split()[0] for line in lines if line.endswith("; with --histogram")]
        self.assertTrue(with_histogram)
        names = [name.replace("NAME", "box") for name in listed if name not in with_histogram]
        self.talus("plot", "shapes.h5", *names, "-o", "all.csv")
        for name in with_histogram:
            self.talus("plot", "shapes.h5", name, "--histogram", "10", "-o", "histogram.csv")
        info = self.talus("info", "shapes.h5").stdout
        for name in listed:
            self.assertIn(name, info)


if __name__ == "__main__":
    unittest.main()
