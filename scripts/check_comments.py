#!/usr/bin/env python3
"""Checks the comments of public headers with Doxygen (scripts/Doxyfile): every warning is an error.

A @param names an argument that there is, markup is closed, references lead somewhere. Headers in detail/ are not public."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import checks

SETTINGS = Path(__file__).resolve().parent / "Doxyfile"


def main():
    options = checks.arguments(__doc__).parse_args()
    report = checks.Report(options.root)
    doxygen = shutil.which("doxygen")
    if doxygen is None:
        print("check_comments.py: there is no doxygen; scripts/install-dependencies check installs it")
        return 2
    headers = [path for path in checks.files(options.root, "src", suffixes={".hpp"}) if "detail" not in path.parts]
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "Doxyfile"
        settings.write_text(SETTINGS.read_text(encoding="utf-8") +
                            f'INPUT = "{options.root}/src"\nOUTPUT_DIRECTORY = "{folder}"\n'
                            'WARN_FORMAT = "$file:$line:$text"\n', encoding="utf-8")
        result = subprocess.run([doxygen, str(settings)], text=True, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, check=False)
    seen = set()
    for line in result.stderr.splitlines():
        name, number, text = (line.split(":", 2) + ["", ""])[:3]
        if line in seen:
            continue
        seen.add(line)
        if number.isdigit():
            report.add(name, int(number), text.strip().removeprefix("warning: "))
        else:
            report.add("scripts/Doxyfile", 1, line)
    if result.returncode != 0:
        report.add("scripts/Doxyfile", 1, f"doxygen ended with {result.returncode}")
    return report.finish(f"{len(headers)} public headers")


if __name__ == "__main__":
    sys.exit(main())
