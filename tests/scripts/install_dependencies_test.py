from fake_tools import FakeToolsTest

RUN = ["cmake", "ninja-build", "g++", "libeigen3-dev", "libhdf5-dev", "libqhull-dev", "libassimp-dev", "libyaml-cpp-dev",
       "libpugixml-dev", "libtinygltf-dev", "libpng-dev", "nlohmann-json3-dev", "libcli11-dev", "libfmt-dev", "libtbb-dev", "libcpp-httplib-dev"]


class InstallDependencies(FakeToolsTest):
    def install(self, *arguments):
        return self.run_script(self.original("scripts/install-dependencies"), *arguments)

    # With everything there, it says nothing and calls no apt-get.
    def test_nothing_missing(self):
        self.packages(*RUN)
        result = self.install()
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.calls("apt-get"), [])

    # --no-install names each missing package with its reason and exits with 2.
    def test_report_only(self):
        self.packages(*RUN[2:])
        result = self.install("--no-install")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"cmake +configures the build\n +ninja-build +runs the build\n")
        self.assertIn("apt-get install cmake ninja-build", result.stderr)
        self.assertNotIn("libfmt-dev", result.stderr)
        self.assertEqual(self.calls("apt-get"), [])

    # Only the groups asked for are installed: to run needs no test packages.
    def test_groups(self):
        self.packages(*RUN)
        self.assertEqual(self.install("run").returncode, 0)
        result = self.install("test", "bench")
        self.assertEqual(result.returncode, 0, result.stderr)
        [call] = self.calls("apt-get")
        self.assertIn("install -y --no-install-recommends libgtest-dev librapidcheck-dev python3 "
                      "python3-h5py python3-yaml libbenchmark-dev", call)
        self.assertEqual(self.install("test", "bench").stderr, "")

    # A failing install refreshes the lists and tries once more; then it shows apt-get's words.
    def test_stale_lists(self):
        self.packages(*RUN[1:])
        self.tool("apt-get", "case $* in *update*) ;; *) echo 'E: Unable to locate package'; exit 100 ;; esac")
        result = self.install()
        self.assertEqual(result.returncode, 2)
        self.assertIn("E: Unable to locate package", result.stderr)
        calls = self.calls("apt-get")
        self.assertEqual([("update" in call) for call in calls], [False, True, False])

    # Without root it goes through sudo; without sudo it says so and exits with 2.
    def test_rights(self):
        self.packages(*RUN[1:])
        self.tool("id", "echo 1000")
        result = self.install()
        self.assertEqual(result.returncode, 2)
        self.assertIn("you are not root and there is no sudo", result.stderr)
        self.tool("sudo", 'exec "$@"')
        result = self.install()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.calls("sudo")), 1)

    # On a system without dpkg it lists what is needed and installs nothing.
    def test_no_debian(self):
        result = self.install()
        self.assertEqual(result.returncode, 0)
        self.assertIn("not a Debian system", result.stderr)
        self.assertIn("libeigen3-dev", result.stderr)

    # --help tells the groups and installs nothing.
    def test_help(self):
        result = self.install("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("[GROUP…]", result.stdout)
        self.assertIn("film", result.stdout)
        self.assertNotIn("set -eu", result.stdout)

    # A misspelt argument is an error, not ignored.
    def test_unknown_argument(self):
        result = self.install("--noinstall")
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown argument '--noinstall'", result.stderr)
