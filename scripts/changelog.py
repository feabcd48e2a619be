#!/usr/bin/env python3
"""Checks the changes in changelog.d/; --fold writes them into the topmost version of CHANGELOG.md and removes their files.

The first line of a file is its kind (Added, Changed, Fixed, Numerics), the rest the text of its entry."""

import re
import sys

import checks

KINDS = ("Added", "Changed", "Fixed", "Numerics")
FILE_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\.md")
LONGEST = 160  # characters of a line


def read(root, report):
    """{kind: [(path, lines of the entry)]}, files in the order of their names."""
    found = {kind: [] for kind in KINDS}
    folder = root / "changelog.d"
    for path in sorted(folder.iterdir() if folder.is_dir() else ()):
        if path.name == "README.md":
            continue
        if not FILE_NAME.fullmatch(path.name):
            report.add(path, 1, "expected a name like what-it-is-about.md")
            continue
        kind, *text = path.read_text(encoding="utf-8").splitlines() or [""]
        if kind not in KINDS:
            report.add(path, 1, f"expected one of {', '.join(KINDS)}, got '{kind}'")
        elif not text or not all(line.strip() for line in text):
            report.add(path, 2, "expected the text of the change, without empty lines")
        elif not text[-1].rstrip().endswith((".", ")")):
            report.add(path, 1 + len(text), "expected a sentence with a full stop")
        else:
            found[kind].append((path, text))
        for number, line in enumerate(text, start=2):
            if len(line) > LONGEST:
                report.add(path, number, f"{len(line)} characters, at most {LONGEST}")
    return found


def fold(changelog, found):
    """The text of CHANGELOG.md with the entries below its topmost version, kind by kind, newest first."""
    versions = [match.start() for match in re.finditer(r"^## ", changelog, re.M)]
    if not versions:
        raise ValueError("CHANGELOG.md has no version, a heading '## …'")
    end = versions[1] if len(versions) > 1 else len(changelog)
    head, section, tail = changelog[:versions[0]], changelog[versions[0]:end], changelog[end:]
    for kind in KINDS:
        entries = "".join("- " + "\n  ".join(text) + "\n" for _, text in found[kind])
        if not entries:
            continue
        title = f"### {kind}\n"
        if title in section:
            section = section.replace(title, title + entries, 1)
        else:
            section = section.rstrip("\n") + f"\n\n{title}{entries}" + ("\n" if tail else "")
    return head + section + tail


def main():
    parser = checks.arguments(__doc__)
    parser.add_argument("--fold", action="store_true", help="write the changes into CHANGELOG.md and remove their files")
    options = parser.parse_args()
    report = checks.Report(options.root)
    found = read(options.root, report)
    count = sum(len(entries) for entries in found.values())
    if options.fold and not report.messages:
        path = options.root / "CHANGELOG.md"
        path.write_text(fold(path.read_text(encoding="utf-8"), found), encoding="utf-8")
        for entries in found.values():
            for file, _ in entries:
                file.unlink()
    return report.finish(f"{count} changes{' folded' if options.fold else ''}")


if __name__ == "__main__":
    sys.exit(main())
