#!/usr/bin/env python3
"""Checks that every header of src/talus compiles alone.

A header with a source of its own is compiled alone whenever that source is, since the source
includes it first: only that order is checked (--fix mends it). The other headers are compiled here.
"""

import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import checks

# Headers of other projects in their Debian places; everything else comes from the default path.
FLAGS = ["-std=c++20", "-fsyntax-only", "-x", "c++", "-DEIGEN_MAX_ALIGN_BYTES=16"]
INCLUDE_FOLDERS = ["/usr/include/eigen3", "/usr/include/hdf5/serial"]


def first_include(path):
    for number, line in checks.lines(path):
        if match := re.match(r"\s*#\s*include\s*[<\"]([^>\"]+)", line):
            return number, match[1]
    return 1, None


def put_first(source, own):
    """Moves the include of its own header to the top of a source."""
    include = f"#include <{own}>\n"
    text = source.read_text(encoding="utf-8").replace(include, "", 1)
    source.write_text(re.sub(r"^(?=#include)", f"{include}\n", text, count=1, flags=re.M), encoding="utf-8")


def main():
    parser = checks.arguments(__doc__)
    parser.add_argument("--fix", action="store_true", help="put each source's own header first")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    source_root = options.root / "src"
    report = checks.Report(options.root)
    headers = checks.files(options.root, "src/talus", suffixes={".hpp"})
    alone = []
    for header in headers:
        source = header.with_suffix(".cpp")
        if not source.is_file():
            alone.append(header)
            continue
        number, found = first_include(source)
        own = header.relative_to(source_root).as_posix()
        if found != own and options.fix:
            put_first(source, own)
        elif found != own:
            report.add(source, number, f"include its own header first: #include <{own}>")

    command = shlex.split(options.compiler) + FLAGS + ["-I", str(source_root)]
    for folder in INCLUDE_FOLDERS:
        command += ["-isystem", folder]

    def compile_alone(header):
        include = f"#include <{header.relative_to(source_root).as_posix()}>\n"
        return subprocess.run(command + ["-"], input=include, text=True, capture_output=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        for header, result in zip(alone, pool.map(compile_alone, alone)):
            if result.returncode != 0:
                error = next((line for line in result.stderr.splitlines() if "error:" in line),
                             result.stderr.strip())
                report.add(header, 1, f"does not compile alone: {error}")
    return report.finish(f"{len(headers)} headers, {len(alone)} of them compiled here")


if __name__ == "__main__":
    sys.exit(main())
