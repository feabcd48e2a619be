#!/usr/bin/env python3
"""Checks that every include of src/talus and every CMake LAYERS list respects scripts/layers.toml."""

import re
import sys
import tomllib

import checks

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_table(path, report):
    """The file's tables {section: {name: [strings]}}."""
    text = path.read_text(encoding="utf-8")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        report.add(path, int(place[1]) if place else text.count("\n"), str(error))
        return {}


def line_of(path, section, name):
    """The line of an entry of the table."""
    inside = False
    for number, line in checks.lines(path):
        if line.startswith("["):
            inside = line.startswith(f"[{section}]")
        elif inside and re.match(rf"{name}\s*=", line):
            return number
    return 1


def check_table(path, layers, report):
    """Every name exists, and a layer uses only layers that stand above it: so there is no cycle."""
    known = []
    for name, allowed in layers.items():
        number = line_of(path, "layers", name)
        for other in allowed:
            if other not in layers:
                report.add(path, number, f"{name}: no layer is called {other}")
            elif other not in known:
                report.add(path, number, f"{name} uses {other}, which must stand above it (no cycles)")
        known.append(name)


def declared_layers(folder, layers):
    """{layer: line} of the layers named in LAYERS or as talus_<layer> in the folder's CMake files."""
    found = {}
    for path in sorted(folder.rglob("CMakeLists.txt")):
        inside = False
        for number, line in checks.lines(path):
            for word in re.findall(r"[\w:./]+|\)", line.split("#")[0]):
                if word == "LAYERS":
                    inside = True
                elif word == ")" or word.isupper():
                    inside = False
                elif inside or word.startswith(("talus_", "talus::")):
                    name = word.removeprefix("talus_").removeprefix("talus::")
                    if inside or name in layers:
                        found.setdefault(name, (path, number))
    return found


def is_generated(folder, header):
    """True for a header that the folder's CMake file makes while building."""
    cmake = folder / "CMakeLists.txt"
    return cmake.is_file() and f"/{header}" in cmake.read_text(encoding="utf-8")


def forbidden_to(name, tables):
    """The headers that a layer must not include: its own list, and those that other layers have for themselves."""
    headers = set(tables.get("forbidden", {}).get(name, []))
    for other, own in tables.get("only", {}).items():
        if other != name:
            headers.update(own)
    return headers


def check_folder(root, folder, layers, forbidden, report):
    """One layer: its includes, and that its CMake list has what it includes and nothing forbidden."""
    name = folder.name
    allowed = layers[name]
    declared = declared_layers(folder, layers)
    for other, (path, number) in declared.items():
        if other != name and other not in allowed:
            report.add(path, number, f"{name} must not use {other} (scripts/layers.toml)")
    for path in checks.files(root, folder.relative_to(root)):
        for number, line in checks.lines(path):
            match = INCLUDE.match(line)
            if not match:
                continue
            bracket, header = match.groups()
            if header in forbidden:
                report.add(path, number, f"{name} must not include <{header}> (scripts/layers.toml)")
            if bracket == '"':
                report.add(path, number, f'write #include <talus/layer/file.hpp>, not "{header}"')
            if not header.startswith("talus/"):
                continue
            other = header.split("/")[1]
            if not (root / "src" / header).is_file() and not is_generated(folder, header):
                report.add(path, number, f"there is no src/{header}")
            if other == name:
                continue
            if other not in allowed:
                report.add(path, number, f"{name} must not include {other} (scripts/layers.toml)")
            elif other not in declared and (folder / "CMakeLists.txt").is_file():
                report.add(path, number, f"{name} includes {other}, missing from its CMake LAYERS list")
            if "/detail/" in header:
                report.add(path, number, f"<{header}> is private to {other}")


def main():
    root = checks.arguments(__doc__).parse_args().root
    report = checks.Report(root)
    table = root / "scripts" / "layers.toml"
    tables = read_table(table, report)
    layers = tables.get("layers", {})
    check_table(table, layers, report)
    folders = sorted(path for path in (root / "src" / "talus").iterdir() if path.is_dir())
    for folder in folders:
        if folder.name in layers:
            check_folder(root, folder, layers, forbidden_to(folder.name, tables), report)
        else:
            report.add(table, 1, f"src/talus/{folder.name} is no layer of this table")
    return report.finish(f"{len(folders)} layers")


if __name__ == "__main__":
    sys.exit(main())
