#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) on the sources changed since a base commit, within a time budget.

A changed header stands for its own source and, after all of these, for the sources that include it (changes.py).
The sources are read one by one and without precompiled headers, as the preset clang has them. Without a base (--base,
or changes.default_base) all sources are taken. What the budget left out is named, never dropped silently.
"""

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import changes
import checks


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
    sources, why = changes.changed_sources(root, options.base)
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
