#!/usr/bin/env python3
"""Writes the page of tolerances from the sources to the standard output: > docs/reference/tolerances.md

Of src/talus/laws and src/talus/stepping they stand in one header, tolerances.hpp; of src/talus/dynamics beside what they decide. Every one
is `constexpr Real kName = value` with a comment `scale: reason`, above it or behind it on the line."""

import re
import sys

import checks

HEADER = "src/talus/laws/tolerances.hpp"
CONSTANT = re.compile(r"constexpr Real (k\w+) = ([^;]+);(?:\s*///?<? (.*))?$")
INTRODUCTION = """# Tolerances

Written by `scripts/tolerances.py` from the sources, which `scripts/check_docs.py` checks; edit the comments there. A tolerance is
a number without unit times the scale beside it (a unit stands in brackets where there is one), so that no result depends on the unit
of length, mass or time. Options of a scene (`scheme: {tolerance: …}`) are in the [scene reference](scene.md); ranks of matrices
in `src/talus/linalg/rank.hpp`.
"""
ORDER = """Order: what is called round-off is that of numbers of the scale after some hundred operations, 1e-16 to 1e-12; what
decides (no gap, no speed, no acceleration) is a hundred times larger, 1e-12 to 1e-9; what is reported or not certified is what a
reader would see, 1e-3 to 1e-1.
"""


def split(comment):
    """Scale and reason of a comment `scale: reason`."""
    scale, colon, reason = comment.rstrip(".").partition(": ")
    if colon or scale.startswith("of "):
        return scale, reason
    return "", scale


def of_header(path, report):
    """[(section, [(name, value, scale, reason)])] of a header of tolerances."""
    sections = []
    comment = ""
    for number, line in checks.lines(path):
        if line.startswith("// "):
            sections.append((line[3:], []))
        elif line.startswith("///"):
            comment += " " + line[3:].strip()
        elif match := CONSTANT.search(line):
            scale, reason = split(comment.strip())
            if not (sections and scale and reason):
                report.add(path, number, f"{match[1]}: expected a comment 'scale: reason' above it, below a title")
            else:
                sections[-1][1].append((match[1], match[2], scale, reason))
            comment = ""
        elif not line.strip() or line.startswith("namespace"):
            comment = ""
    return sections


def of_layer(root, layer):
    """[(file, name, value, scale, reason)] of constants with a comment on their line."""
    found = []
    for path in checks.files(root, f"src/talus/{layer}"):
        for _, line in checks.lines(path):
            match = CONSTANT.search(line)
            if match and match[3]:
                found.append((path.name, match[1], match[2], *split(match[3])))
    return found


def page(root, report):
    """The text of docs/reference/tolerances.md."""
    text = INTRODUCTION + "\n" + ORDER
    for title, rows in of_header(root / HEADER, report):
        text += f"\n## {title}\n\n| name | value | scale | reason |\n|---|--:|---|---|\n"
        for name, value, scale, reason in rows:
            value = value.replace("std::numeric_limits<Real>::epsilon()", "ε").replace("*", "·")
            text += f"| `{name}` | {value} | {scale} | {reason} |\n"
    text += ("\n## Dynamics: contacts and constraints\n\n| file | name | value | scale | reason |\n"
             "|---|---|--:|---|---|\n")
    for file, name, value, scale, reason in of_layer(root, "dynamics"):
        text += f"| `{file}` | `{name}` | {value} | {scale} | {reason} |\n"
    return text.replace("|  |", "| – |")


def main():
    options = checks.arguments(__doc__).parse_args()
    report = checks.Report(options.root)
    text = page(options.root, report)
    if report.messages:
        return report.finish("tolerances")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
