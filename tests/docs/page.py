"""Runs a Markdown page: writes its files, runs its commands, compares what it says they print.

    ```yaml NAME     a file of that name, here and now
    ```sh            commands; a trailing comment `# exit code N` tells the code, otherwise 0
    ```text          lines that the commands before it print, in this order (others may stand between)
"""

import re
import subprocess
from pathlib import Path

FENCE = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.M | re.S)


def run_page(page, program, folder, test):
    """Runs all blocks of a page in a folder; `./talus` is the program. Returns the number of commands."""
    text = Path(page).read_text(encoding="utf-8")
    output, count = "", 0
    for block in FENCE.finditer(text):
        kind, name, body = block.groups()
        place = f"{Path(page).name}:{text.count(chr(10), 0, block.start()) + 1}"
        if kind == "yaml" and name:
            (Path(folder) / name).write_text(body, encoding="utf-8")
        elif kind == "sh":
            output = ""
            for command in body.splitlines():
                expected = re.search(r"# exit code (\d+)", command)
                result = subprocess.run(command.replace("./talus", f'"{program}"'), shell=True, cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
                test.assertEqual(result.returncode, int(expected[1]) if expected else 0,
                                 f"{place}: {command}\n{result.stdout}")
                output += result.stdout
                count += 1
        elif kind == "text":
            position = 0
            for line in body.splitlines():
                found = output.find(line, position)
                test.assertGreaterEqual(found, 0, f"{place}: not printed: {line!r}\nin\n{output}")
                position = found + len(line)
    return count
