"""Collects what the site consists of in one folder, so that Sphinx finds it: {page of the site: file of the repository}.

Files of the repository link to each other by their places; here these links are turned into links of the site. What is not a page
(a scene, a header) is copied to files/ and can be downloaded. Links that lead nowhere are reported."""

import os
import re
import shutil
import tomllib
from pathlib import Path

import yaml

CODE_FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1`*$", re.M | re.S)
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
KEY = r"[a-z]+(?:\\?_[a-z]+)*\\?_(?:18|19|20)\d\d[a-z]?"  # also where underscores are escaped
CITATION = re.compile(rf"`({KEY})`(?!\])|(?<![\w/`])({KEY})(?![\w/.]*[\w/`])")
PART = re.compile(r"<!-- (\w+): (.*?) -->\n")
NOT_PAGES = {"site", "images"}
RENAMED = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "bench/README.md": "benchmarks.md",
           "bench/peers/README.md": "peers.md", "viewer/README.md": "viewer.md", "data/fclib/README.md": "fclib.md",
           "changelog.d/README.md": "changes.md", "docs/adr/README.md": "adr/index.md",
           "python/README.md": "python_sources.md"}


def find_pages(root):
    """{file of the repository: page of the site}, both with slashes."""
    pages = dict(RENAMED)
    for path in sorted((root / "docs").rglob("*.md")):
        name = path.relative_to(root / "docs")
        if name.parts[0] == "site":
            pages[f"docs/{name}"] = str(name.relative_to("site"))
        else:
            pages.setdefault(f"docs/{name}", str(name))
    for folder in ("examples", "papers"):
        for path in sorted((root / folder).glob("*/README.md")):
            pages[f"{folder}/{path.parent.name}/README.md"] = f"{folder}/{path.parent.name}.md"
    for path in sorted((root / "src" / "talus").glob("**/README.md")):
        layer = path.parent.relative_to(root / "src" / "talus").as_posix().replace("/", "_")
        pages[path.relative_to(root).as_posix()] = f"cpp/{layer}.md"
    return {name: page for name, page in pages.items() if (root / name).is_file()}


class Site:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.pages = find_pages(root)
        self.written = set()
        self.mistakes = []
        self.keys = set(re.findall(r"^@\w+\{(\w+),", (root / "docs" / "references.bib").read_text(encoding="utf-8"), re.M))

    def write(self, name, content):
        """Writes a file where it differs: Sphinx reads again what is newer."""
        path = self.folder / name
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        if not path.is_file() or path.read_bytes() != data:
            path.write_bytes(data)

    def remove_what_is_old(self):
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()

    def target(self, source, link):
        """A link of a file of the repository, as a link of its page."""
        name, hash_sign, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or not name:
            return link
        place = Path(os.path.normpath(Path(source).parent / name))
        here = Path(self.pages[source]).parent
        for known in (place, place / "README.md"):
            if known.as_posix() in self.pages:
                return os.path.relpath(self.pages[known.as_posix()], here) + hash_sign + anchor
        if place.as_posix() == "README.md":
            return os.path.relpath("start.md", here) + hash_sign + anchor
        if not (self.root / place).is_file():
            self.mistakes.append(f"{source}: link to {link}: no page and no file")
            return link
        copy = place.relative_to("docs") if place.parts[:2] == ("docs", "images") else Path("files") / place
        self.write(copy, (self.root / place).read_bytes())
        return os.path.relpath(copy, here)

    def rewritten(self, source, text):
        """The text with links of the site, also to the works that it cites; code stays as it is."""
        def rewrite(part):
            part = LINK.sub(lambda found: found[1] + self.target(source, found[2]) + found[3], part)
            return CITATION.sub(self.cited, part)

        parts, end = [], 0
        for fence in CODE_FENCE.finditer(text):
            parts += [rewrite(text[end:fence.start()]), fence[0]]
            end = fence.end()
        return "".join(parts) + rewrite(text[end:])

    def cited(self, found):
        """A key of references.bib, as a citation; the brackets come from Sphinx."""
        key = (found[1] or found[2]).replace("\\", "")
        return f"{{cite:label}}`{key}`" if key in self.keys else found[0]

    def section(self, name, heading, first=0, last=None):
        """The text below a heading of a file, or some paragraphs of it, with links as a page in docs/site/ has them. The heading `^` stands
        for what precedes the first."""
        text = (self.root / name).read_text(encoding="utf-8")
        if heading == "^":
            body = text.split("\n", 1)[1].split("\n## ", 1)[0]
        else:
            body = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
        body = "\n\n".join(body.strip().split("\n\n")[int(first):last and int(last)])
        return LINK.sub(lambda link: link[1] + (link[2] if re.match(r"[a-z]+:|#", link[2]) else f"../../{link[2]}") + link[3], body)


def paper_table(folder):
    """The numbers of expected.yaml: what `talus reproduce` compares with."""
    expected = yaml.safe_load((folder / "expected.yaml").read_text(encoding="utf-8"))
    lines = ["", "## Numbers", "", f"What `talus reproduce {folder.name}` compares its own with, in about {expected['seconds']} s. "
             "The tolerance is absolute, or relative where it says %.", "", "| quantity | number | tolerance | from the paper |", "|---|--:|--:|---|"]
    for row in expected.get("rows", []):
        tolerance = f"{100 * float(row['relative']):g} %" if "relative" in row else row.get("tolerance", "")
        lines.append(f"| `{row['quantity']}` | {row.get('paper', '')} | {tolerance} | {'yes' if row.get('printed', True) else 'no'} |")
    if expected.get("inferred"):
        lines += ["", "## What the paper leaves open", "", "| what | taken as | why |", "|---|---|---|"]
        cell = lambda text: str(text).replace("|", "\\|").replace("$", "\\$")
        lines += [f"| {cell(row['what'])} | {cell(row['value'])} | {cell(row['why'])} |" for row in expected["inferred"]]
    return "\n".join(lines) + "\n"


def collect(root, folder, interface, python_page):
    """Writes all pages to a folder; the mistakes found. interface: of C++; python_page: the text of the Python interface's page."""
    site = Site(root, folder)
    layers = list(tomllib.loads((root / "scripts" / "layers.toml").read_text(encoding="utf-8"))["layers"])
    api_pages = {f"src/talus/{layer}/README.md" for layer in layers if layer != "cli"}

    def part(found):
        """A part of a page of docs/site/ that comes from elsewhere."""
        kind, value = found[1], found[2]
        if kind == "section":
            return site.section(*value.split(" § ")) + "\n"
        if kind == "python":
            return python_page
        if kind == "page":  # a line of a toctree, if there is such a page
            return value + "\n" if f"{value}.md" in site.pages.values() else ""
        if kind == "toc":
            names = [f"cpp/{layer}" for layer in layers if f"cpp/{layer}.md" in site.pages.values()] if value == "cpp" else sorted(
                page.removesuffix(".md") for page in site.pages.values() if page.startswith(value + "/") and not page.endswith("/index.md"))
            extra = ["cpp/solve_gauss_seidel_local"] if value == "cpp" else []
            return "\n".join(os.path.relpath(name, value) for name in names + extra) + "\n"
        raise ValueError(f"unknown part {kind}")

    for source, page in site.pages.items():
        text = (root / source).read_text(encoding="utf-8")
        if source.startswith("docs/site/"):
            text = PART.sub(part, text)
        if re.match(r"papers/[^/]+/README.md", source):
            text = text.rstrip() + "\n" + paper_table((root / source).parent)
        if page == "adr/index.md":
            text += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"
        text = site.rewritten(source, text)
        if source in api_pages:
            text = text.rstrip() + "\n\n" + CITATION.sub(site.cited, interface.page(Path(source).parent.name))
        site.write(page, text)
    site.write("references.bib", (root / "docs" / "references.bib").read_bytes())
    site.remove_what_is_old()
    return site.mistakes
