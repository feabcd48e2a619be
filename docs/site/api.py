"""Pages of the C++ interface: from Doxygen's XML, header by header, to directives of Sphinx's C++ domain.

Breathe would do this by namespaces, four times slower and with each namespace declared in every header."""

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

ESCAPED = re.compile(r"([\\`*_{}\[\]<>|$#])")
SPACE = re.compile(r"\s+")


def plain(element):
    return SPACE.sub(" ", "".join(element.itertext())).strip() if element is not None else ""


def inline(element):
    """The text of a paragraph in Markdown; blocks within it stand between empty lines."""
    parts = [ESCAPED.sub(r"\\\1", SPACE.sub(" ", element.text or ""))]
    for child in element:
        parts.append(block(child))
        parts.append(ESCAPED.sub(r"\\\1", SPACE.sub(" ", child.tail or "")))
    return "".join(parts)


def block(element):
    kind = element.tag
    if kind == "computeroutput":
        text = plain(element)
        return f"`` {text} ``" if "`" in text else f"`{text}`"
    if kind in ("verbatim", "preformatted", "programlisting"):
        lines = "".join(element.itertext()).strip("\n").splitlines()
        return "\n\n" + "\n".join("    " + line for line in lines) + "\n\n"
    if kind in ("itemizedlist", "orderedlist"):
        return "\n\n" + "\n".join("- " + described(item).replace("\n", "\n  ") for item in element) + "\n\n"
    if kind == "parameterlist":
        return "\n\n" + "\n".join(f"- `{', '.join(plain(name) for name in item.iter('parametername'))}`: " +
                                  described(item.find("parameterdescription")).replace("\n", "\n  ") for item in element) + "\n\n"
    if kind == "simplesect":
        titles = {"return": "Returns ", "pre": "Assumes ", "note": "Note: ", "see": "See "}
        return "\n\n" + titles.get(element.get("kind"), "") + described(element) + "\n\n"
    if kind == "formula":
        return "$" + element.text.strip("$ ") + "$"
    if kind == "parblock" or kind == "para":
        return "\n\n" + inline(element) + "\n\n"
    marks = {"bold": "**", "emphasis": "*"}.get(kind, "")
    signs = {"ndash": "–", "mdash": "—", "linebreak": "  \n", "sp": " "}
    return signs[kind] if kind in signs else marks + inline(element) + marks


def described(*elements):
    """Paragraphs of descriptions, as Markdown."""
    text = "\n\n".join(inline(paragraph).strip() for element in elements if element is not None for paragraph in element.iter("para")
                       if paragraph not in nested_paragraphs(element))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def nested_paragraphs(element):
    """Paragraphs within lists, parameters and the like, which those describe themselves."""
    return {inner for paragraph in element.iter("para") for inner in paragraph.iter("para") if inner is not paragraph}


def template_of(element):
    parameters = element.find("templateparamlist")
    if parameters is None:
        return ""
    pointer = re.compile(r"^(.*)\(\*\)(\(.*\)) (\w+)$")  # to a function: its name stands within
    return "template<" + ", ".join(pointer.sub(r"\1 (*\3)\2", " ".join(part for part in (
        plain(one.find("type")), plain(one.find("declname")), "= " + plain(one.find("defval")) if one.find("defval") is not None else "") if part))
        for one in parameters) + "> "


def fenced(kind, signature, text, inner=()):
    """A directive; the more there is within it, the longer its fence."""
    content = "\n\n".join(part for part in (text, *inner) if part)
    fence = ":" * max([3] + [len(found) + 1 for found in re.findall(r"^(:{3,})", content, re.M)])
    return f"{fence}{{cpp:{kind}}} {signature}\n\n{content}\n{fence}" if content else f"{fence}{{cpp:{kind}}} {signature}\n{fence}"


def member(element):
    """A function, variable, type or enumeration, as a directive."""
    kind, name = element.get("kind"), plain(element.find("name"))
    type_name = re.sub(r"\b(friend|static|virtual|inline|extern) ", "", plain(element.find("type")))
    text = described(element.find("briefdescription"), element.find("detaileddescription"))
    if kind == "function":
        arguments = re.sub(r"=\s*(default|delete|0)$", "", plain(element.find("argsstring"))).strip()
        arguments = re.sub(r"\s*->.*$", "", arguments) if type_name == "auto" and "->" not in arguments else arguments
        return fenced("function", template_of(element) + f"{type_name} {name}{arguments}".strip(), text)
    if kind == "variable":
        value = plain(element.find("initializer"))
        if len(value) > 60 or re.search(r"[\[{]", value):
            value = ""
        arguments = plain(element.find("argsstring"))
        return fenced("var", template_of(element) + f"{type_name} {name}{arguments} {value}".strip(), text)
    if kind == "typedef":
        return fenced("type", template_of(element) + f"{name} = {type_name}", text)
    if kind == "enum":
        values = [fenced("enumerator", plain(value.find("name")), described(value.find("briefdescription"), value.find("detaileddescription")))
                  for value in element.iter("enumvalue")]
        return fenced("enum-class", name, text, values)
    return ""


def place(element):
    location = element.find("location")
    return (location.get("file"), int(location.get("line"))) if location is not None else ("", 0)


class Interface:
    """What is declared in each header: {file below src: [(line, namespace, directive)]}."""

    def __init__(self, xml, sources):
        self.xml, self.sources = xml, sources
        self.headers = defaultdict(list)
        index = ElementTree.parse(xml / "index.xml").getroot()
        compounds = {entry.get("refid"): (entry.get("kind"), plain(entry.find("name"))) for entry in index}
        self.classes = {name for kind, name in compounds.values() if kind in ("class", "struct", "union")}
        for refid, (kind, name) in compounds.items():
            hidden = "detail" in name.split("::") or "@" in name
            if kind == "namespace" and not hidden:
                self.add_namespace(name, self.read(refid))
            elif kind in ("class", "struct") and not hidden and self.scope(name) not in self.classes:
                root = self.read(refid)
                file, line = place(root)
                self.headers[file].append((line, self.scope(name), self.type_directive(root, name)))

    def read(self, refid):
        return ElementTree.parse(self.xml / f"{refid}.xml").getroot().find("compounddef")

    @staticmethod
    def scope(name):
        """The namespace or class around a name; arguments of templates may hold colons."""
        depth = 0
        for i in range(len(name) - 1, 0, -1):
            depth += {">": 1, "<": -1}.get(name[i], 0)
            if depth == 0 and name[i - 1:i + 1] == "::":
                return name[:i - 1]
        return ""

    def add_namespace(self, name, root):
        for element in root.iter("memberdef"):
            file, line = place(element)
            self.headers[file].append((line, name, member(element)))

    def with_unnamed(self, members):
        """[(line, directive)]: members of a struct without a name are those of the variable that is declared with it. Doxygen lists them
        beside it, so the header itself tells where it begins."""
        found = [(place(element)[1], member(element)) for element in members]
        for element in members:
            if "@" not in plain(element.find("type")):
                continue
            file, end = place(element)
            source = (self.sources / file).read_text(encoding="utf-8").splitlines()
            start = max(i for i, line in enumerate(source[:end], 1) if line.strip() == "struct {")
            inside = [one for one in found if start < one[0] < end]
            directive = fenced("struct", plain(element.find("name")), described(element.find("briefdescription")), [text for _, text in inside])
            found = [one for one in found if not start < one[0] <= end] + [(start, directive)]
        return found

    def type_directive(self, root, name):
        bases = [plain(base) for base in root.findall("basecompoundref")]
        short = name.removeprefix(self.scope(name)).removeprefix("::")
        inner = []
        public = [element for section in root.findall("sectiondef") if section.get("kind").startswith(("public", "user"))
                  for element in section.findall("memberdef") if element.get("prot") == "public"]
        public = self.with_unnamed(public)
        for entry in root.findall("innerclass"):
            if entry.get("prot") == "public":
                nested = self.read(entry.get("refid"))
                inner.append((place(nested)[1], self.type_directive(nested, plain(entry))))
        inner += public
        signature = template_of(root) + short + (" : public " + ", ".join(bases) if bases else "")
        text = described(root.find("briefdescription"), root.find("detaileddescription"))
        return fenced("struct" if root.get("kind") == "struct" else "class", signature, text,
                      [directive for _, directive in sorted(inner, key=lambda one: one[0])])

    def page(self, layer):
        """All headers of a layer."""
        lines = []
        for file in sorted(self.headers):
            if not file.startswith(f"talus/{layer}/") or "/detail/" in file:
                continue
            lines += [f"## {file.removeprefix(f'talus/{layer}/')}", "", f"`#include <{file}>`", ""]
            before = None
            for _, namespace, directive in sorted(self.headers[file], key=lambda one: one[0]):
                if namespace != before:
                    lines += [f"```{{cpp:namespace}} {namespace or 'NULL'}", "```", ""]
                    before = namespace
                lines += [directive, ""]
        return "\n".join(lines)
