"""The site that `./talus docs` makes: every link leads somewhere, nothing comes from the network, and a phone is wide enough.

Skipped where Sphinx is not installed; what needs a browser also where Node.js, Chromium or playwright-core are not."""

import os
import shutil
import subprocess
import sys
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("TALUS_DOCS", REPOSITORY / "build" / "docs"))


class Page(HTMLParser):
    """Links, files and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.files, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag in ("img", "script") and values.get("src"):
            self.files.append(values["src"])
        elif tag == "link" and values.get("href"):
            self.files.append(values["href"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        result = subprocess.run([sys.executable, "-B", str(REPOSITORY / "scripts" / "make_docs"), "--output", str(FOLDER)], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if result.returncode == 2:
            raise unittest.SkipTest(result.stdout.strip())
        assert result.returncode == 0, result.stdout
        print(result.stdout.strip())
        cls.html = (FOLDER / "html").resolve()
        cls.pages = {path: Page(path) for path in cls.html.rglob("*.html")}

    # Every link within the site leads to a page and an anchor that are there; every picture, script and style sheet too.
    def test_links(self):
        broken, count = [], 0
        for path, page in self.pages.items():
            for link in page.links + page.files:
                if link.startswith(("http:", "https:", "mailto:", "data:")):
                    continue
                count += 1
                name, _, anchor = unquote(link).partition("#")
                place = (path.parent / name.partition("?")[0]).resolve() if name else path
                if not place.is_file():
                    broken.append(f"{path.relative_to(self.html)}: {link}: no file")
                elif anchor and place in self.pages and anchor not in self.pages[place].anchors:
                    broken.append(f"{path.relative_to(self.html)}: {link}: no anchor")
        print(f"{count} links of {len(self.pages)} pages")
        self.assertEqual(broken, [])
        self.assertGreater(count, 10000)

    # Pages, and what they load, come from the folder alone.
    def test_network(self):
        self.assertEqual([f"{path}: {file}" for path, page in self.pages.items() for file in page.files if "//" in file], [])

    # What a reader looks for is there: each group of pages, formulas, numbers of a paper, declarations.
    def test_contents(self):
        expected = {"index.html": "every step carries a certificate", "start.html": "./talus run examples/four_balls", "gallery.html": "dominoes",
                    "reference/scene.html": "restitution", "reference/cli.html": "--step-size", "theory/time_stepping.html": 'class="math',
                    "papers/stewart_trinkle_1996.html": "four_balls.variation.0.02", "cpp/certify.html": "natural_map", "python_api.html": "talus",
                    "references.html": "Moreau", "examples/four_balls.html": "Lemke", "changelog.html": "Numerics", "adr/index.html": "0013",
                    "limits.html": "first order", "glossary.html": "gap"}
        for name, text in expected.items():
            self.assertIn(text, (self.html / name).read_text(encoding="utf-8"), name)

    # No page is wider than a phone of 390 pixels, formulas are set, and the browser complains about nothing.
    def test_phone(self):
        node = shutil.which("node") or shutil.which("nodejs")
        chromium = os.environ.get("TALUS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
        if not (node and chromium and (REPOSITORY / "viewer/node_modules/playwright-core").is_dir()):
            self.skipTest("Node.js, Chromium or playwright-core is not installed")
        result = subprocess.run([node, str(Path(__file__).with_name("phone.mjs")), *map(str, sorted(self.pages))], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env={**os.environ, "TALUS_CHROMIUM": chromium}, timeout=270, check=False)
        print(result.stdout.splitlines()[-1])
        self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
