# SPDX-License-Identifier: MIT
"""Finds the programs of CUDA that the device tests use, and says which version they are."""
import os
import re
import shutil
import subprocess

SKIP = 77  # the exit status by which meson recognises a skipped test


def find_tool(name):
    """The program's path, from CAROM_CUDA_TOOLS (folders, as in PATH), PATH or CUDA's usual folder; None: not there."""
    folders = [os.environ.get("CAROM_CUDA_TOOLS", ""), os.environ.get("PATH", ""), "/usr/local/cuda/bin"]
    return shutil.which(name, path=os.pathsep.join(folder for folder in folders if folder))


def version_of(tool):
    """What the tool calls itself, such as V13.0.88."""
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"V\d+[.\d]*", said)[0]
