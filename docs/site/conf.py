"""Settings of Sphinx for `./talus docs` (scripts/make_docs)."""

import os
from pathlib import Path

import pybtex.plugin
from pybtex.style.formatting.plain import Style
from pybtex.style.labels import BaseLabelStyle

here = Path(__file__).resolve().parent

project = "Talus"
author = "The Talus developers"
version = release = os.environ["TALUS_VERSION"]
html_title = "Talus"
language = "en"

extensions = ["myst_parser", "sphinxcontrib.bibtex", "sphinx_copybutton", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
source_suffix = {".md": "markdown"}
exclude_patterns = ["files"]
nitpicky = False  # C++ types of other libraries and of detail/ have no page; broken links of pages are warnings all the same

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # a page may go from # to ###
highlight_language = "none"


autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes of dataclasses stand once

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "keys"
bibtex_cite_id = "{key}"


class KeyLabels(BaseLabelStyle):
    """A work is called as the documents and sources cite it: author_year."""

    def format_labels(self, entries):
        return (entry.key for entry in entries)


class KeyStyle(Style):
    default_sorting_style = "author_year_title"
    default_label_style = KeyLabels


pybtex.plugin.register_plugin("pybtex.style.formatting", "keys", KeyStyle)

html_theme = "furo"
html_static_path = [str(here / "static"), *os.environ["TALUS_STATIC"].split(":")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
# Formulas are set by KaTeX, which stands beside the pages: nothing comes from the network.
mathjax_path = "math.js"
mathjax_options = {"defer": "defer"}
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7db9e8", "color-brand-content": "#7db9e8"},
}


def add_katex(app, page, template, context, doctree):
    """The style sheet and the program of KaTeX, on pages with formulas."""
    if doctree is not None and app.env.get_domain("math").has_equations(page):
        app.add_css_file("katex.min.css")
        app.add_js_file("katex.min.js", defer="defer", priority=100)


def setup(app):
    app.connect("html-page-context", add_katex)
