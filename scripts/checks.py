"""What the checks share: the repository's files, and messages of the form file:line: text."""

import argparse
import glob
import os
import sys
from pathlib import Path

SOURCE_SUFFIXES = {".cpp", ".hpp"}
# Headers of other projects in their Debian places; everything else comes from the default path.
INCLUDE_FOLDERS = ["/usr/include/eigen3", "/usr/include/hdf5/serial", *glob.glob("/usr/include/*-linux-*/mpi")]
SKIPPED_FOLDERS = {"build", ".git", ".cache", "node_modules", "__pycache__"}


class Report:
    """Collects messages; finish() prints them and gives the exit code."""

    def __init__(self, root):
        self.root = Path(root)
        self.messages = []

    def add(self, path, line, text):
        path = Path(path)
        if path.is_absolute():
            path = path.relative_to(self.root)
        self.messages.append(f"{path}:{line}: {text}")

    def finish(self, what):
        for message in self.messages:
            print(message)
        name = Path(sys.argv[0]).name
        print(f"{name}: {what}" + (f", {len(self.messages)} mistakes" if self.messages else ", all good"))
        return 1 if self.messages else 0


def arguments(description):
    """A parser with --root, the repository's folder."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=lambda text: Path(text).resolve(),
                        default=Path(__file__).resolve().parent.parent,
                        help="the repository to check")
    return parser


def files(root, *folders, suffixes=SOURCE_SUFFIXES):
    """All files with these suffixes below root/folder for each folder, sorted."""
    found = []
    for folder in folders:
        for path, names, leaves in os.walk(root / folder):
            names[:] = [name for name in names if name not in SKIPPED_FOLDERS]
            found += [Path(path) / leaf for leaf in leaves if Path(leaf).suffix in suffixes]
    return sorted(set(found))


def lines(path):
    """The lines of a file, numbered from 1."""
    return list(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))
