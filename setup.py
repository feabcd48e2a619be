"""Builds talus._talus with CMake for pip; everything else is in pyproject.toml."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r"project\(talus VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


class CMakeBuild(build_ext):
    """The target talus_python of a Release build, compiled into the folder that setuptools packs."""

    def build_extension(self, extension):
        target = Path(self.get_ext_fullpath(extension.name)).resolve().parent
        build = Path(self.build_temp).resolve()
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DTALUS_BUILD_TESTS=OFF", "-DTALUS_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}",
                        *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL")
        subprocess.run(["ninja", "-C", build, *(["-j", jobs] if jobs else []), "talus_python"], check=True)
        subprocess.run(["cmake", "-E", "copy_directory", build / "python" / "talus", target], check=True)


setup(version=VERSION, ext_modules=[Extension("talus._talus", [])], cmdclass={"build_ext": CMakeBuild})
