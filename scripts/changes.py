"""What changed since a base commit: sources, and those that include a changed header."""

import re
import subprocess
from pathlib import Path

import checks

HOURS_OF_WORK = 12  # commits of one stretch of work are within so many hours of each other


def git(root, *command):
    result = subprocess.run(["git", "-C", str(root), *command], text=True, capture_output=True)
    return result.stdout.strip() if result.returncode == 0 else None


def default_base(root):
    """The branch point from origin/main; where that is HEAD, the last commit before the last stretch of work."""
    head = git(root, "rev-parse", "HEAD")
    base = git(root, "merge-base", "HEAD", "origin/main")
    if base not in (None, head):
        return base
    newest = git(root, "log", "-1", "--format=%ct")
    before = newest and git(root, "log", "-1", "--format=%H", f"--before=@{int(newest) - 3600 * HOURS_OF_WORK}")
    return before or git(root, "rev-parse", "HEAD~1")


def included(path):
    """The headers of src that a file includes, as it writes them."""
    return re.findall(r"^#include <(talus/[^>]+)>", path.read_text(encoding="utf-8"), re.M)


def includers(root, headers):
    """The sources that include one of the headers, directly or through other headers."""
    of = {path: included(path) for path in checks.files(root, "src")}
    reached = {path.relative_to(root / "src").as_posix() for path in headers}
    grows = True
    while grows:
        more = {path.relative_to(root / "src").as_posix() for path, names in of.items()
                if path.suffix == ".hpp" and not reached.isdisjoint(names)}
        grows = not more <= reached
        reached |= more
    return {path for path, names in of.items() if path.suffix == ".cpp" and not reached.isdisjoint(names)}


def changed_sources(root, base=None):
    """The .cpp files of src changed since the base, then those that include a changed header; and why these."""
    base = base or default_base(root)
    names = base and git(root, "diff", "--name-only", "--diff-filter=d", base, "--", "src")
    if names is None:
        return checks.files(root, "src", suffixes={".cpp"}), "no base commit"
    paths = [root / name for name in names.split() if Path(name).suffix in checks.SOURCE_SUFFIXES]
    sources = {path.with_suffix(".cpp") for path in paths}
    first = sorted(path for path in sources if path.is_file())
    others = includers(root, [path for path in paths if path.suffix == ".hpp" and path.is_file()])
    return first + sorted(others - sources), f"changed since {base[:12]}, or including what has"
