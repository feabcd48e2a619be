import os
import subprocess
import unittest
from pathlib import Path

from page import FENCE

REPOSITORY = Path(__file__).resolve().parents[2]


class OwnSystem(unittest.TestCase):
    # The program of the page is the one in examples/, and prints what the page says.
    def test_page_shows_the_example(self):
        page = (REPOSITORY / "docs/own_system.md").read_text(encoding="utf-8")
        blocks = {kind: (name, body) for kind, name, body in FENCE.findall(page)}
        name, body = blocks["cpp"]
        self.assertEqual(body, (REPOSITORY / name).read_text(encoding="utf-8"))
        printed = subprocess.run([os.environ["OWN_SYSTEM"]], text=True, capture_output=True, check=True).stdout
        self.assertEqual(printed, blocks["text"][1])


if __name__ == "__main__":
    unittest.main()
