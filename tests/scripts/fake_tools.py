"""Fake system tools on a private PATH: each logs how it was called and does what its body says."""

import os
import shutil
import subprocess

from tree import REPOSITORY, TreeTest

BORROWED = ["sh", "dirname", "basename", "readlink", "cmp", "cp", "mkdir", "rm", "grep", "sed", "tr", "date", "cat",
            "tail", "tee", "env", "mktemp", "flock", "nproc"]


class FakeToolsTest(TreeTest):
    def setUp(self):
        super().setUp()
        self.bin = self.root / "bin"
        self.bin.mkdir()
        for name in BORROWED:
            (self.bin / name).symlink_to(shutil.which(name))
        self.tool("id", "echo 0")

    def tool(self, name, body):
        path = self.write(f"bin/{name}", f'#!/bin/sh\necho "{name} $*" >>"{self.root}/calls"\n{body}\n')
        path.chmod(0o755)

    def packages(self, *installed):
        """A dpkg-query that knows these packages, and an apt-get that installs whatever it is asked."""
        self.write("installed", "".join(f"installed {name}\n" for name in installed))
        self.tool("dpkg-query", f'cat "{self.root}/installed"')
        self.tool("apt-get", f'for p do case $p in install) on=1 ;; -*) ;; *) [ -z "${{on-}}" ] || '
                             f'echo "installed $p" >>"{self.root}/installed" ;; esac; done')

    def calls(self, name=""):
        """The logged calls of the tools whose name begins so; forgets all."""
        path = self.root / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [line for line in lines if line.startswith(name)]

    def run_script(self, script, *arguments, cwd=None, **variables):
        inherited = {name: value for name, value in os.environ.items() if name != "TALUS_PRESET"}
        return subprocess.run([str(script), *arguments], text=True, capture_output=True,
                              cwd=cwd or self.root, env={**inherited, **variables, "PATH": str(self.bin)})

    @staticmethod
    def original(name):
        return REPOSITORY / name
