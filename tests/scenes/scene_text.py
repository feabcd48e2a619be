"""Reads the YAML that `talus convert` writes: block and flow maps and lists, plain and quoted words. Numbers become floats."""

import json


def scalar(text):
    if text.startswith('"'):
        return json.loads(text.replace("\\x", "\\u00"))
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


class Flow:
    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self):
        while self.at < len(self.text) and self.text[self.at] in " ,":
            self.at += 1

    def word(self, ends):
        start = self.at
        if self.text[start] == '"':
            self.at += 1
            while self.text[self.at] != '"':
                self.at += 2 if self.text[self.at] == "\\" else 1
            self.at += 1
        else:
            while self.at < len(self.text) and not any(self.text.startswith(end, self.at) for end in ends):
                self.at += 1
        return scalar(self.text[start:self.at].strip())

    def value(self, ends=(",", "]", "}")):
        self.skip()
        if self.text[self.at] not in "[{":
            return self.word(ends)
        is_map, close = self.text[self.at] == "{", "}" if self.text[self.at] == "{" else "]"
        found = {} if is_map else []
        self.at += 1
        while True:
            self.skip()
            if self.text[self.at] == close:
                self.at += 1
                return found
            if is_map:
                key = self.word((": ",))
                self.at += 1
                found[key] = self.value()
            else:
                found.append(self.value())


class Block:
    def __init__(self, text):
        self.lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        self.at = 0

    def value(self, indent):
        line = self.lines[self.at]
        return self.items(indent) if line[indent:].startswith("- ") else self.entries(indent)

    def rest(self, text, indent):
        """What stands behind a key or a dash, or in the lines below."""
        self.at += 1
        if text:
            return Flow(text).value(ends=("\n",))
        deeper = len(self.lines[self.at]) - len(self.lines[self.at].lstrip())
        return self.value(deeper)

    def entries(self, indent):
        found = {}
        while self.at < len(self.lines) and self.starts(indent) and not self.lines[self.at][indent:].startswith("- "):
            flow = Flow(self.lines[self.at][indent:])
            key = flow.word((":",))
            found[key] = self.rest(flow.text[flow.at + 1:].strip(), indent)
        return found

    def items(self, indent):
        found = []
        while self.at < len(self.lines) and self.starts(indent) and self.lines[self.at][indent:].startswith("- "):
            text = self.lines[self.at][indent + 2:]
            is_entry = text[0] not in "[{\"" and (": " in text or text.endswith(":"))
            if is_entry:  # the first key stands behind the dash
                self.lines[self.at] = " " * (indent + 2) + text
                found.append(self.entries(indent + 2))
            else:
                found.append(self.rest(text, indent))
        return found

    def starts(self, indent):
        line = self.lines[self.at]
        return len(line) - len(line.lstrip()) == indent


def read(text):
    return Block(text).value(0)
