#!/usr/bin/env python3
"""Checks the documents: citations, the bibliography, links, and that generated pages are fresh, tolerances among them.

With --talus also that the commands that they show have verbs, options and files that there are, and that scenes have known keys."""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import checks
import cli_reference
import tolerances

KEY = r"[a-z]+(?:_[a-z]+)*_(?:18|19|20)\d\d[a-z]?"
CITATION = re.compile(rf"(?<![\w/.]){KEY}(?![\w/.-]*[\w/])")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
REQUIRED_FIELDS = ("author", "title", "year")
GENERATED = {"docs/reference/scene.md": "--reference", "docs/reference/scene.schema.json": "--schema",
             "docs/reference/schemes.md": "--schemes"}


def check_bibliography(path, report):
    """The keys of the file; each is author_year, given once, with author, title and year."""
    keys = set()
    if not path.is_file():
        report.add(path, 1, "missing")
        return keys
    text = path.read_text(encoding="utf-8")
    for entry in re.finditer(r"^@(\w+)\{([^,\s]+),(.*?)^\}", text, re.M | re.S):
        number = text.count("\n", 0, entry.start()) + 1
        key, body = entry[2], entry[3]
        fields = {name.lower(): value for name, value in re.findall(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", body, re.M)}
        if not re.fullmatch(KEY, key):
            report.add(path, number, f"key {key} is not of the form author_year")
        if key in keys:
            report.add(path, number, f"key {key} stands twice")
        for field in REQUIRED_FIELDS:
            if field not in fields:
                report.add(path, number, f"{key} has no {field}")
        if fields.get("year") and fields["year"] not in key:
            report.add(path, number, f"{key} is of the year {fields['year']}")
        keys.add(key)
    for number, line in checks.lines(path):
        if line.startswith("@") and not any(key in line for key in keys):
            report.add(path, number, "not an entry of the form @kind{key, … }, closing brace on its own line")
    return keys


def check_citations(root, keys, report):
    places = checks.files(root, "src", "bench") + checks.files(root, "docs", "src", suffixes={".md"})
    for path in places:
        for number, line in checks.lines(path):
            for key in CITATION.findall(line):
                if key not in keys:
                    report.add(path, number, f"{key} is not in docs/references.bib")


def anchors(path):
    """The anchors that the headings of a Markdown file get."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(root, report):
    pages = checks.files(root, "docs", "src", "examples", "tests", "bench", suffixes={".md"})
    for path in pages + sorted(root.glob("*.md")):
        for number, line in checks.lines(path):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                place = (path.parent / name).resolve() if name else path
                if not place.exists():
                    report.add(path, number, f"link to {target}: there is no such file")
                elif anchor and place.suffix == ".md" and anchor not in anchors(place):
                    report.add(path, number, f"link to {target}: there is no such heading")


def check_generated(root, program, report):
    for name, option in GENERATED.items():
        page = root / name
        if not page.is_file() or program is None:
            continue
        result = subprocess.run([str(program), "check", option], text=True, capture_output=True)
        if result.returncode != 0:
            report.add(page, 1, f"`talus check {option}` ended with {result.returncode}: {result.stderr.strip()}")
        elif result.stdout != page.read_text(encoding="utf-8"):
            report.add(page, 1, f"stale; write it anew: ./talus check {option} > {name}")


def check_command_line_page(root, pages, report):
    page = root / "docs" / "reference" / "cli.md"
    if page.is_file() and page.read_text(encoding="utf-8") != cli_reference.markdown(pages):
        report.add(page, 1, "stale; write it anew: scripts/cli_reference.py build/release/src/talus/cli/talus > docs/reference/cli.md")


def commands(path):
    """(line, words) of each command of talus in the code blocks of a page; prose after it is left out."""
    is_fenced = False
    for number, line in checks.lines(path):
        if line.startswith("```"):
            is_fenced = not is_fenced and line.startswith("```sh")
        elif is_fenced or line.startswith("    "):
            for part in map(str.strip, re.split(r"   +|[;|]|&&", line.strip())):
                if not re.match(r"(\./)?talus [a-z]", part):
                    continue
                try:
                    yield number, shlex.split(part, comments=True)[1:]
                except ValueError:  # a quote that a cut part has open: not a command by itself
                    continue


def check_commands(root, pages, report):
    """Every command names a verb that there is, with options that it has, and files of the repository that are there."""
    options = {page.verb: {word for title, entries in page.sections if title not in ("Arguments", "Verbs") for name, _ in entries
                           for word in re.findall(r"(?<!\S)--?[\w-]+", name)} for page in pages}
    of_script = set(re.findall(r"^  \./talus ([a-z]+(?: [a-z]+)?)", (root / "talus").read_text(encoding="utf-8"), re.M)) if (root / "talus").is_file() else set()
    count = 0
    for path in checks.files(root, "docs", "examples", "papers", "bench", "src", suffixes={".md"}) + sorted(root.glob("*.md")):
        for number, words in commands(path):
            count += 1
            two = " ".join(words[:2])
            verb = two if two in options else words[0]
            if two in of_script or verb not in options:
                if not {two, verb} & (of_script | {"help"}):
                    report.add(path, number, f"there is no verb {verb}")
                continue
            for word in words[1:]:
                if word.startswith("--") and word != "--" and word.partition("=")[0] not in options[verb] | {"--help", "--no-install"}:
                    report.add(path, number, f"talus {verb} has no option {word}")
                elif re.fullmatch(r"(\.\./)?(examples|papers|data|docs)/[\w./-]+", word) and not (root / word.removeprefix("../")).exists():
                    report.add(path, number, f"there is no {word}")
    return count


def check_scenes(root, program, report):
    """Scenes, and parts of them, have keys that the schema knows. What is missing in a part is not looked at."""
    for path in checks.files(root, "docs", suffixes={".md"}):
        text = path.read_text(encoding="utf-8")
        for block in re.finditer(r"^```yaml(.*)\n((?s:.*?))^```$", text, re.M):
            if "mistake" in block[1]:  # a file of that name shows one
                continue
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "scene.yaml").write_text(block[2], encoding="utf-8")
                result = subprocess.run([str(program), "check", "scene.yaml"], cwd=folder, text=True, capture_output=True, check=False)
            start = text.count("\n", 0, block.start()) + 1
            for line, mistake in re.findall(r"scene\.yaml:(\d+):\d+: (.*unknown key.*)", result.stdout + result.stderr):
                report.add(path, start + int(line), mistake)


def check_tolerances(root, report):
    """The page of tolerances is what scripts/tolerances.py writes; each is used, and stands once."""
    page = root / "docs" / "reference" / "tolerances.md"
    header = root / tolerances.HEADER
    if not header.is_file():
        return
    if not page.is_file() or page.read_text(encoding="utf-8") != tolerances.page(root, report):
        report.add(page, 1, "stale; write it anew: scripts/tolerances.py > docs/reference/tolerances.md")
    sources = {path: path.read_text(encoding="utf-8") for layer in ("laws", "stepping")
               for path in checks.files(root, f"src/talus/{layer}")}
    for _, rows in tolerances.of_header(header, report):
        for name, *_ in rows:
            if not any(f"tolerance::{name}" in text for path, text in sources.items() if path != header):
                report.add(header, 1, f"{name} is not used")


def main():
    parser = checks.arguments(__doc__)
    parser.add_argument("--talus", type=lambda text: Path(text).resolve(), help="the program, to compare generated pages with it")
    options = parser.parse_args()
    root = options.root
    report = checks.Report(root)
    keys = check_bibliography(root / "docs" / "references.bib", report)
    check_citations(root, keys, report)
    check_links(root, report)
    check_generated(root, options.talus, report)
    check_tolerances(root, report)
    if options.talus is not None:
        pages = cli_reference.read_all(options.talus)
        check_command_line_page(root, pages, report)
        check_commands(root, pages, report)
        check_scenes(root, options.talus, report)
    return report.finish(f"{len(keys)} references")


if __name__ == "__main__":
    sys.exit(main())
