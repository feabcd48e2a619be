#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) on the sources changed since a base commit, within a time budget.

A changed header stands for its own source and, after all of these, for the sources that include it.
The sources are read one by one and without precompiled headers, as the preset clang has them. Without a base (--base, or the branch point from origin/main, or the commit before) all sources are
taken. What the budget left out is named, never dropped silently.
"""

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import checks


def git(root, *command):
    result = subprocess.run(["git", "-C", str(root), *command], text=True, capture_output=True)
    return result.stdout.strip() if result.returncode == 0 else None


def included(path):
    """The headers of src that a file includes, as it writes them."""
    return re.findall(r"^#include <(talus/[^>]+)>", path.read_text(encoding="utf-8"), re.M)


def includers(root, headers):
    """The sources that include one of the headers, directly or through other headers."""
    of = {path: included(path) for path in checks.files(root, "src")}
    reached = {path.relative_to(root / "src").as_posix() for path in headers}
    grows = True
    while grows:
        more = {path.relative_to(root / "src").as_posix() for path, names in of.items()
                if path.suffix == ".hpp" and not reached.isdisjoint(names)}
        grows = not more <= reached
        reached |= more
    return {path for path, names in of.items() if path.suffix == ".cpp" and not reached.isdisjoint(names)}


def changed_sources(root, base):
    """The .cpp files of src changed since the base, then those that include a changed header."""
    if base is None:
        head = git(root, "rev-parse", "HEAD")
        base = git(root, "merge-base", "HEAD", "origin/main")
        if base in (None, head):
            base = git(root, "rev-parse", "HEAD~1")
    names = base and git(root, "diff", "--name-only", "--diff-filter=d", base, "--", "src")
    if names is None:
        return checks.files(root, "src", suffixes={".cpp"}), "no base commit"
    paths = [root / name for name in names.split() if Path(name).suffix in checks.SOURCE_SUFFIXES]
    sources = {path.with_suffix(".cpp") for path in paths}
    first = sorted(path for path in sources if path.is_file())
    others = includers(root, [path for path in paths if path.suffix == ".hpp" and path.is_file()])
    return first + sorted(others - sources), f"changed since {base[:12]}, or including what has"


def main():
    parser = checks.arguments(__doc__)
    parser.add_argument("--base", help="commit to compare with")
    parser.add_argument("--build", type=Path, help="folder with compile_commands.json")
    parser.add_argument("--budget", type=float, default=220, help="seconds after which no file is begun")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*", type=Path, help="these sources instead")
    options = parser.parse_args()
    root = options.root
    build = options.build or root / "build" / "clang"
    if options.build is None:
        for command in (["cmake", "--preset", "clang", "-DTALUS_BUILD_TESTS=OFF"],
                        ["cmake", "--build", str(build), "--target", "talus_build_info"]):
            made = subprocess.run(command, cwd=root, text=True, capture_output=True)
            if made.returncode != 0:
                print(f"check_tidy.py: {' '.join(command)} failed:\n{made.stdout}{made.stderr}")
                return 1
    sources, why = changed_sources(root, options.base)
    if options.files:
        sources, why = [path.resolve() for path in options.files], "as asked"
    start = time.monotonic()
    left_out = []

    def tidy(path):
        if time.monotonic() - start > options.budget:
            left_out.append(path)
            return ""
        command = ["clang-tidy-14", "--quiet", "-p", str(root / build), str(path)]
        command += [f"--extra-arg=-isystem{folder}" for folder in checks.INCLUDE_FOLDERS]  # of parts not built there too
        return subprocess.run(command, text=True, capture_output=True).stdout

    report = checks.Report(root)
    with ThreadPoolExecutor(options.jobs) as pool:
        findings = "\n".join(pool.map(tidy, sources))
    seen = set()
    for path, line, text in re.findall(r"^(/[^:\n]+):(\d+):\d+: (?:warning|error): (.*)$", findings, re.M):
        if Path(path).is_relative_to(root) and (path, line, text) not in seen:
            seen.add((path, line, text))
            report.add(path, line, text)
    for path in sorted(left_out):
        print(f"not looked at, the {options.budget:.0f} s were up: {path.relative_to(root)}")
    return report.finish(f"{len(sources) - len(left_out)} of {len(sources)} sources ({why})")


if __name__ == "__main__":
    sys.exit(main())
