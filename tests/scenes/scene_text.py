"""Reads scenes as Talus does, by YAML 1.2: 1e-3 is a number, and yes is a word, which PyYAML takes for 1.1 otherwise."""

import re

import yaml


class Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = {}


Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"), list("-+.0123456789"))


def read(text):
    return yaml.load(text, Loader)
