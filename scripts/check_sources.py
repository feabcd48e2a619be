#!/usr/bin/env python3
"""Checks that every header and every source of src/talus compiles alone.

The build compiles several sources as one (TALUS_UNITY_BUILD): a source that uses what another one before it
includes or names goes unnoticed there. A header with a source of its own is compiled with it, since the source
includes it first: that order is checked (--fix mends it). The other headers are compiled by themselves.
Templates that a source instantiates are left to the build: a fatal error in the last line (END) keeps clang from
instantiating those that wait for the end of the source, which are 40 % of the time. Other compilers see no such line:
g++ reads all lines before it looks at any, and would report nothing else.

With --budget what has changed comes first (changes.py), then the rest, from another place in each commit; what the
seconds leave out is counted.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import changes
import checks

FLAGS = ["-std=c++20", "-fsyntax-only", "-DEIGEN_MAX_ALIGN_BYTES=16"]
END = "the_end_of_the_source"
# What only a build defines: sources that mention it are left to the build.
OF_THE_BUILD = ["TALUS_PAPERS_FOLDER", "TALUS_PAGE", "talus/record/detail/build_info.hpp"]


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


def needs_the_build(source):
    """Sources of which the build defines something, and kernels with flags of their own (talus_kernels)."""
    return (source.stem.endswith(("_avx2", "_avx512")) or
            any(name in source.read_text(encoding="utf-8") for name in OF_THE_BUILD))


def is_clang(compiler):
    return "clang" in Path(compiler[0]).name


def precompile(compiler, root, folder):
    """The flag that takes over the headers of other projects that sources share, parsed once; clang's way."""
    listed = root / "cmake/talus_precompiled.cmake"
    if not is_clang(compiler) or not listed.is_file():
        return []
    headers = re.search(r"TALUS_PRECOMPILED_HEADERS\s+([^)]*)\)", listed.read_text(encoding="utf-8"))[1].split()
    text, binary = Path(folder) / "shared.hpp", Path(folder) / "shared.pch"
    text.write_text("".join(f"#include {header}\n" for header in headers), encoding="utf-8")
    command = [flag for flag in compiler if flag != "-fsyntax-only"] + ["-x", "c++-header", str(text), "-o", str(binary)]
    made = subprocess.run(command, text=True, capture_output=True)
    return ["-include-pch", str(binary)] if made.returncode == 0 else []


def changed_first(root, paths):
    """Files in the order in which a budget is spent on them."""
    sources, _ = changes.changed_sources(root)
    place = {path: number for number, path in enumerate(sources)}
    first = sorted((path for path in paths if path in place), key=place.get)
    rest = [path for path in paths if path not in place]
    start = int(changes.git(root, "rev-parse", "HEAD") or "0", 16) % max(len(rest), 1)
    return first + rest[start:] + rest[:start]


def main():
    parser = checks.arguments(__doc__)
    parser.add_argument("--budget", type=float, help="seconds after which no file is begun")
    parser.add_argument("--fix", action="store_true", help="put each source's own header first")
    parser.add_argument("--compiler", default=os.environ.get("CXX") or shutil.which("clang++-14") or "c++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    source_root = options.root / "src"
    report = checks.Report(options.root)
    headers = checks.files(options.root, "src/talus", suffixes={".hpp"})
    sources = [path for path in checks.files(options.root, "src/talus", suffixes={".cpp"})
               if not needs_the_build(path)]
    for header in headers:
        source = header.with_suffix(".cpp")
        if not source.is_file():
            continue
        number, found = first_include(source)
        own = header.relative_to(source_root).as_posix()
        if found != own and options.fix:
            put_first(source, own)
        elif found != own:
            report.add(source, number, f"include its own header first: #include <{own}>")

    compiler = shlex.split(options.compiler) + FLAGS + ["-I", str(source_root)]
    for folder in checks.INCLUDE_FOLDERS:
        compiler += ["-isystem", folder]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        shared = precompile(compiler, options.root, folder)
        last_line = f"#include <{END}>\n" if is_clang(compiler) else ""

        start = time.monotonic()
        left_out = []

        def compile_alone(path):
            """The first error of a header or a source, or None."""
            if options.budget is not None and time.monotonic() - start > options.budget:
                left_out.append(path)
                return None
            text = f"#include <{path.relative_to(source_root).as_posix()}>\n" + last_line
            command = compiler + (shared if path.suffix == ".cpp" else []) + ["-x", "c++", "-"]
            result = subprocess.run(command, input=text, text=True, capture_output=True)
            error = next((line for line in result.stderr.splitlines() if "error:" in line), result.stderr.strip())
            return None if result.returncode == 0 or END in error else error

        alone = [header for header in headers if not header.with_suffix(".cpp").is_file()] + sources
        if options.budget is not None:
            alone = changed_first(options.root, alone)
        for path, error in zip(alone, pool.map(compile_alone, alone)):
            if error:
                report.add(path, 1, f"does not compile alone: {error}")
    not_compiled = f", {len(left_out)} of these not compiled: the {options.budget:.0f} s were up" if left_out else ""
    return report.finish(f"{len(headers)} headers, {len(sources)} sources{not_compiled}")


if __name__ == "__main__":
    sys.exit(main())
