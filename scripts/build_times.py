#!/usr/bin/env python3
"""Measures what a build costs: CPU seconds of each compilation, and their sums by layer.

    cmake --preset release -DTALUS_BUILD_TESTS=ON -DCMAKE_CXX_COMPILER_LAUNCHER=$PWD/scripts/build_times.py
    TALUS_BUILD_TIMES=build/times ninja -C build/release
    scripts/build_times.py --report build/times

As a launcher it runs the compiler and appends one line, CPU seconds and object, to the file that
TALUS_BUILD_TIMES names (a relative name begins at the checkout).
"""

import os
import resource
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def launch(command):
    code = subprocess.run(command).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if "TALUS_BUILD_TIMES" in os.environ and "-o" in command:
        with open(ROOT / os.environ["TALUS_BUILD_TIMES"], "a", encoding="utf-8") as log:
            log.write(f"{used.ru_utime + used.ru_stime:.2f} {command[command.index('-o') + 1]}\n")
    return code


def part_of(name):
    """The layer of an object, or the folder of its tests."""
    parts = Path(name).parts
    if parts[:2] == ("src", "talus"):
        return parts[2]
    return "/".join(parts[:2]) if parts[0] in ("tests", "bench") else "precompiled headers"


def report(path):
    objects = [(float(seconds), name) for seconds, name in
               (line.split(maxsplit=1) for line in Path(path).read_text(encoding="utf-8").splitlines())]
    parts = defaultdict(float)
    for seconds, name in objects:
        parts[part_of(name)] += seconds
    for part, seconds in sorted(parts.items(), key=lambda item: -item[1]):
        print(f"{seconds:8.1f} s  {part}")
    print(f"{sum(parts.values()) / 60:8.1f} CPU-minutes in {len(objects)} objects; the dearest:")
    for seconds, name in sorted(objects, reverse=True)[:10]:
        print(f"{seconds:8.1f} s  {name}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--report"] and len(sys.argv) == 3:
        sys.exit(report(sys.argv[2]))
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        sys.exit(0 if sys.argv[1:] == ["--help"] else 2)
    sys.exit(launch(sys.argv[1:]))
