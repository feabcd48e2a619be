#!/usr/bin/env python3
"""Checks each layer's README.md, the length of sources, that headers have an include guard, and that names in
anonymous namespaces differ within a layer, since unity builds compile several sources as one."""

import re
import sys
from collections import defaultdict

import checks

MAX_README_LINES = 30
MAX_SOURCE_LINES = 600  # above, it is two ideas

# What a line of a namespace defines, as clang-format writes it: a constant, a type, a function.
DEFINITIONS = [re.compile(text) for text in (
    r"^constexpr [\w:<>, ]+?[ &*](k\w+)(?:\[|\{| =|;)",
    r"^(?:struct|class|enum class) (\w+)[^;]*$",
    r"^(?!using|struct|class|enum|template|return|static_assert|[#/} ])[\w\[].*?[\s&*](\w+)\([^;]*$")]


def anonymous_names(path):
    """The names that a source defines in anonymous namespaces, with their lines."""
    open_namespaces = []
    for number, line in checks.lines(path):
        if match := re.match(r"namespace(?: ([\w:]+))? \{", line):
            open_namespaces.append(match[1])
        elif line.startswith("}  // namespace") and open_namespaces:
            open_namespaces.pop()
        elif None in open_namespaces:
            for definition in DEFINITIONS:
                if match := definition.match(line):
                    yield match[1], number
                    break


def check_anonymous_names(layer, root, report):
    """Reports names that two sources of a layer define."""
    places = defaultdict(dict)
    for path in checks.files(root, layer.relative_to(root), suffixes={".cpp"}):
        for name, number in anonymous_names(path):
            places[name].setdefault(path, number)
    for name, numbers in places.items():
        first, *others = numbers
        for path in others:
            report.add(path, numbers[path], f"{name} is also in the anonymous namespace of "
                                            f"{first.relative_to(layer)}: say what it is of")


def main():
    root = checks.arguments(__doc__).parse_args().root
    report = checks.Report(root)
    for folder in sorted((root / "src" / "talus").iterdir()):
        if not folder.is_dir():
            continue
        check_anonymous_names(folder, root, report)
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
