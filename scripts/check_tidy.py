#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) on the sources changed since a base commit, within a time budget.

Without a base (--base, or the branch point from origin/main, or the commit before) all sources are
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


def changed_sources(root, base):
    """The .cpp files of src changed since the base; a changed header stands for its own source."""
    if base is None:
        head = git(root, "rev-parse", "HEAD")
        base = git(root, "merge-base", "HEAD", "origin/main")
        if base in (None, head):
            base = git(root, "rev-parse", "HEAD~1")
    names = base and git(root, "diff", "--name-only", "--diff-filter=d", base, "--", "src")
    if names is None:
        return checks.files(root, "src", suffixes={".cpp"}), "no base commit"
    sources = {(root / name).with_suffix(".cpp") for name in names.split()
               if Path(name).suffix in checks.SOURCE_SUFFIXES}
    return sorted(path for path in sources if path.is_file()), f"changed since {base[:12]}"


def main():
    parser = checks.arguments(__doc__)
    parser.add_argument("--base", help="commit to compare with")
    parser.add_argument("--build", type=Path, help="folder with compile_commands.json")
    parser.add_argument("--budget", type=float, default=220, help="seconds after which no file is begun")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*", type=Path, help="these sources instead")
    options = parser.parse_args()
    root = options.root
    build = options.build or root / "build" / "release"
    if not (build / "compile_commands.json").is_file():
        print(f"check_tidy.py: {build} has no compile_commands.json; build first: ./talus build")
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
        command = ["clang-tidy-14", "--quiet", "-p", str(build), str(path)]
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
