import shutil

from fake_tools import FakeToolsTest
from install_dependencies_test import RUN

# A cmake that leaves the traces the script looks at, and a ninja that makes the program.
CMAKE = r"""mkdir -p build/release/src/talus/cli
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt
for option do
  case $option in -D*=*) option=${option#-D}; echo "${option%=*}:BOOL=${option#*=}" >>build/release/CMakeCache.txt ;; esac
done
: >build/release/build.ninja"""
NINJA = r"""[ ! -f "$2/broken" ] || { echo "a.cpp:1: error: broken"; exit 1; }
program=$2/src/talus/cli/talus
[ ! -x "$program" ] || { echo "[0/2] Re-checking globbed directories..."; exit 0; }
echo "[1/1] Building CXX object main.cpp.o"
printf '#!/bin/sh\necho "program in $PWD: $*"\n' >"$program"
/bin/chmod +x "$program" """


class TalusScript(FakeToolsTest):
    def setUp(self):
        super().setUp()
        self.packages(*RUN, "libgtest-dev", "librapidcheck-dev", "python3", "python3-h5py", "python3-yaml")
        self.tool("cmake", CMAKE)
        self.tool("ninja", NINJA)
        self.tool("ctest", "")
        self.checkout = self.root / "some where" / "talus"  # a path with a blank in it
        (self.checkout / "scripts").mkdir(parents=True)
        shutil.copy(self.original("talus"), self.checkout)
        shutil.copy(self.original("scripts/install-dependencies"), self.checkout / "scripts")

    def talus(self, *arguments, **options):
        options.setdefault("TALUS_PYTHON", "python3")  # on the private PATH, where there is none unless a test makes it
        return self.run_script(self.checkout / "talus", *arguments, **options)

    # The first call looks at packages, configures without tests, builds, and runs the program with
    # its arguments, in the caller's folder; only the program writes to standard output.
    def test_first_call(self):
        result = self.talus("run", "a b.yaml", "--json", cwd=self.bin)
        self.assertEqual(result.stdout, f"program in {self.bin}: run a b.yaml --json\n", result.stderr)
        calls = self.calls()
        self.assertTrue(calls[0].startswith("dpkg-query"))
        self.assertIn("cmake --preset release -DTALUS_BUILD_TESTS=OFF", calls)
        self.assertIn("built in", result.stderr)

    # The second call neither looks at packages nor configures, and says nothing of its own.
    def test_second_call(self):
        self.talus("run", "x")
        self.calls()
        result = self.talus("run", "x")
        self.assertEqual(result.stderr, "")
        self.assertEqual([call.split()[0] for call in self.calls()], ["ninja"])

    # `test` turns the tests on in the same build folder, once, and hands its arguments to ctest.
    def test_tests(self):
        self.talus("run", "x")
        self.calls()
        self.assertEqual(self.talus("test", "-R", "name").returncode, 0)
        calls = self.calls()
        self.assertIn("cmake --preset release -DTALUS_BUILD_TESTS=ON", calls)
        self.assertRegex(calls[-1], r"^ctest .*--output-on-failure .*-R name$")
        self.talus("test")
        self.assertEqual(self.calls("cmake"), [])

    # Where Python has numpy and pybind11, `test` turns the Python package on too; otherwise it says that it does not.
    def test_tests_of_python(self):
        self.assertIn("the Python package is left out", self.talus("test").stderr)
        self.tool("python3", "")
        self.calls()
        self.assertNotIn("left out", self.talus("test").stderr)
        self.assertIn("cmake --preset release -DTALUS_BUILD_TESTS=ON -DTALUS_BUILD_PYTHON=ON -DPython_EXECUTABLE=python3",
                      self.calls())

    # `run --ranks` installs MPI and builds the program with it beside the other, which starts it; `test` takes it where it is.
    def test_ranks(self):
        result = self.talus("run", "x", "--ranks", "2")
        self.assertIn("run x --ranks 2", result.stdout, result.stderr)
        calls = self.calls()
        self.assertTrue(any("libopenmpi-dev" in call for call in calls if call.startswith("apt-get")))
        self.assertIn("cmake --preset release -DTALUS_BUILD_TESTS=OFF -DTALUS_WITH_MPI=ON", calls)
        self.assertRegex("\n".join(calls), r"ninja -C .*/build/release talus-mpi")
        self.talus("run", "x")
        self.assertRegex("\n".join(self.calls()), r"ninja -C .*/build/release talus$")
        self.tool("mpicc", "")
        self.talus("test")
        self.assertIn("cmake --preset release -DTALUS_BUILD_TESTS=ON -DTALUS_WITH_MPI=ON", self.calls())

    # `python` installs what the package needs, builds it, and prints the line for the shell; with a script it runs that.
    def test_python(self):
        self.tool("python3", 'printf "%s with %s" "$*" "$PYTHONPATH"')
        result = self.talus("python")
        place = f"{self.checkout}/build/release/python"
        self.assertEqual(result.stdout, f'export PYTHONPATH="{place}${{PYTHONPATH:+:$PYTHONPATH}}"\n', result.stderr)
        calls = self.calls()
        self.assertTrue(any("pybind11-dev" in call for call in calls if call.startswith("apt-get")))
        self.assertRegex("\n".join(calls), r"ninja -C .*/build/release talus_python")
        self.assertEqual(self.talus("python", "a b.py", "--fast", PYTHONPATH="").stdout, f"a b.py --fast with {place}")

    # Help of test and bench needs no package and builds nothing; of a table of the benchmarks it is the program's.
    def test_help_builds_nothing(self):
        for arguments in (["test", "--help"], ["test", "-h"], ["bench", "--help"], ["help", "test"], ["help", "bench"]):
            result = self.talus(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(f"./talus {arguments[arguments[0] == 'help']} [ARG …]", result.stdout)
        self.assertIn("./talus python [SCRIPT [ARG …]]", self.talus("python", "--help").stdout)
        for arguments in (["help"], ["help", "build"]):
            self.assertIn("./talus clean", self.talus(*arguments).stdout)
        self.assertEqual(self.calls(), [])

    # The Tab key builds nothing: without a program the shell is offered the script's own verbs, then the program's too.
    def test_completion_builds_nothing(self):
        result = self.talus("complete", "--", "te")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "test\n", ""))
        self.assertEqual(self.talus("complete", "--", "run", "te").stdout, "")
        self.assertEqual(self.calls(), [])
        self.talus("run", "x")
        self.calls()
        self.assertIn("complete -- r", self.talus("complete", "--", "r").stdout)
        self.assertEqual(self.calls(), [])

    # TALUS_PRESET builds and tests another preset, in its own folder.
    def test_preset(self):
        self.tool("cmake", CMAKE.replace("build/release", "build/ci"))
        self.assertEqual(self.talus("test", TALUS_PRESET="ci").returncode, 0)
        calls = self.calls()
        self.assertIn("cmake --preset ci -DTALUS_BUILD_TESTS=OFF -DTALUS_BUILD_TESTS=ON", calls)
        self.assertRegex(calls[-1], r"^ctest --test-dir .*/build/ci ")

    # Where npm is, build, test, view and render make the page too; that it fails stops nothing.
    def test_page(self):
        self.tool("npm", "")
        for verb in ("build", "test", "view", "render"):
            self.packages(*RUN, "libgtest-dev", "librapidcheck-dev", "python3", "python3-h5py", "python3-yaml", "nodejs", "chromium")
            self.assertEqual(self.talus(verb).returncode, 0)
            self.assertEqual(len([c for c in self.calls("ninja") if "viewer_page" in c]), 1, verb)
        self.talus("run", "x")
        self.assertEqual([c for c in self.calls("ninja") if "viewer_page" in c], [])
        self.tool("ninja", '[ "$3" != viewer_page ] || exit 1\n' + NINJA)
        result = self.talus("view", "out.h5")
        self.assertIn("page of talus view could not be built", result.stderr)
        self.assertIn("view out.h5", result.stdout)

    # view needs Node.js and npm, plot gnuplot, render also Chromium, and ffmpeg for a film; other verbs none of them.
    def test_packages_of_verbs(self):
        for verb, expected in (("run", []), ("plot", ["gnuplot-nox"]), ("view", ["nodejs npm"]), ("render", ["chromium"])):
            self.talus(verb)
            self.assertEqual([call.split("recommends ")[1] for call in self.calls("apt-get")], expected)
        self.talus("render", "out.h5", "-o", "fall.mp4")
        self.assertIn("ffmpeg", self.calls("apt-get")[-1])

    # A moved checkout is built anew instead of with the old place's files.
    def test_moved_checkout(self):
        self.talus("run", "x")
        self.checkout = self.checkout.rename(self.root / "moved")
        self.calls()
        result = self.talus("run", "x")
        self.assertIn("has moved", result.stderr)
        self.assertEqual(len(self.calls("cmake")), 1)
        self.assertIn("program in", result.stdout)

    # Through a symbolic link the script still finds its checkout.
    def test_symbolic_link(self):
        link = self.root / "talus-link"
        link.symlink_to(self.checkout / "talus")
        result = self.run_script(link, "info", "f", cwd=self.bin)
        self.assertIn("info f", result.stdout, result.stderr)

    # A failing build shows the end of the log, exits with 1, and does not run an old program.
    def test_failing_build(self):
        self.talus("run", "x")
        self.write(self.checkout / "build/release/broken")
        result = self.talus("run", "x")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("a.cpp:1: error: broken", result.stderr)
        self.assertIn("building failed", result.stderr)

    # --no-install, before or after the verb, reports what is missing and exits with 2.
    def test_no_install(self):
        self.packages(*RUN[1:])
        for arguments in (["--no-install", "run", "x"], ["run", "x", "--no-install"]):
            result = self.talus(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn("configures the build", result.stderr)
        self.assertEqual(self.calls("apt-get"), [])

    # The exit code is the program's.
    def test_program_exit_code(self):
        self.talus("run", "x")
        self.write(self.checkout / "build/release/src/talus/cli/talus", "#!/bin/sh\nexit 3\n")
        self.assertEqual(self.talus("run", "x").returncode, 3)

    # Without arguments it tells what it can do, without building.
    def test_usage(self):
        result = self.talus()
        self.assertEqual(result.returncode, 0)
        self.assertIn("./talus test", result.stdout)
        self.assertEqual(self.calls(), [])
