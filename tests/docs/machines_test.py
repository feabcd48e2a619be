"""docs/machines.md does what it says."""

import os
import tempfile
import unittest
from pathlib import Path

from page import run_page

PAGE = Path(__file__).parents[2] / "docs" / "machines.md"


class Machines(unittest.TestCase):
    def test_every_file_and_command(self):
        """Every file is written, every command ends as it should, and what is shown is printed."""
        with tempfile.TemporaryDirectory() as folder:
            self.assertGreaterEqual(run_page(PAGE, os.environ["TALUS_PROGRAM"], folder, self), 5)


if __name__ == "__main__":
    unittest.main()
