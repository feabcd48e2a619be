#!/usr/bin/env python3
"""Checks the words of comments, messages and pages: spelling (codespell, where it is installed), and words that papers
of the field do not use. docs/glossary.md has those that they do."""

import re
import shutil
import subprocess
import sys

import checks

# What is written, and what is meant. Decisions of the past (docs/adr) keep their words.
INSTEAD = {
    "nobody": "none",
    "somebody": "name who, or use the passive",
    "whoever": "the caller, the user",
    "goes on": "continues",
    "went on": "continued",
    "knows": "supports, has, depends on",
    "lets go": "is released",
    "is content": "is met",
}
FORBIDDEN = re.compile(r"\b(" + "|".join(INSTEAD) + r")\b", re.I)
# Right words that codespell takes for mistakes.
RIGHT = "crate,fro,statics,ser,te,thre,ue,fo,ist,mis,nd,iff,hist,vise,parms,som,als,ot,inout,clos,nin,lod,anormal"
SUFFIXES = {".hpp", ".cpp", ".md", ".yaml", ".ts", ".py"}


def pages(root):
    found = checks.files(root, "src", "docs", "examples", "bench", "viewer/src", suffixes=SUFFIXES - {".py"})
    found += sorted(root.glob("*.md"))
    return [path for path in found if "adr" not in path.relative_to(root).parts]


def check_words(root, report):
    for path in pages(root):
        for number, line in checks.lines(path):
            for word in FORBIDDEN.findall(line):
                report.add(path, number, f'"{word}": {INSTEAD[word.lower()]}')


def check_spelling(root, report):
    program = shutil.which("codespell")
    if program is None:
        print("codespell is not installed: spelling is not checked")
        return
    names = [str(path.relative_to(root)) for path in pages(root)]
    result = subprocess.run([program, "--ignore-words-list", RIGHT, *names], cwd=root, text=True, capture_output=True)
    for line in result.stdout.splitlines():
        place, _, text = line.partition(": ")
        name, _, number = place.rpartition(":")
        report.add(name, number, text)


def main():
    options = checks.arguments(__doc__).parse_args()
    report = checks.Report(options.root)
    check_words(options.root, report)
    check_spelling(options.root, report)
    return report.finish(f"{len(pages(options.root))} files")


if __name__ == "__main__":
    sys.exit(main())
