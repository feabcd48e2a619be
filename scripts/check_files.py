#!/usr/bin/env python3
"""Checks each layer's README.md, the length of sources, and that headers have an include guard."""

import sys

import checks

MAX_README_LINES = 30
MAX_SOURCE_LINES = 600  # above, it is two ideas


def main():
    root = checks.arguments(__doc__).parse_args().root
    report = checks.Report(root)
    for folder in sorted((root / "src" / "talus").iterdir()):
        if not folder.is_dir():
            continue
        readme = folder / "README.md"
        if not readme.is_file():
            report.add(readme, 1, "missing: purpose, main types, what the layer must not know, sources")
        elif (count := len(checks.lines(readme))) > MAX_README_LINES:
            report.add(readme, count, f"{count} lines; at most {MAX_README_LINES}")
    sources = checks.files(root, "src", "tests", "bench", "examples", "scripts", "python",
                           suffixes=checks.SOURCE_SUFFIXES | {".py"})
    for path in sources:
        text = checks.lines(path)
        if len(text) > MAX_SOURCE_LINES:
            report.add(path, len(text), f"{len(text)} lines; at most {MAX_SOURCE_LINES}: two ideas?")
        if path.suffix == ".hpp" and not any(line == "#pragma once" for _, line in text):
            report.add(path, 1, "no #pragma once")
    return report.finish(f"{len(sources)} sources")


if __name__ == "__main__":
    sys.exit(main())
