#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sass.py MODULE.ptx...: checks that no GPU fuses operations of a device module.

Each module is assembled for six architectures and disassembled. A GPU divides and takes roots by sequences of fused
products, with results that PTX defines as correctly rounded; so divisions, roots and reciprocals are first replaced by
additions. Any remaining fused product comes from the module itself and is a finding.

Needs ptxas, of CUDA, and nvdisasm (CUDA, or nvidia-cuda-nvdisasm of PyPI): in PATH, or in the folders that
CAROM_CUDA_TOOLS names. Without them it is skipped (exit status 77). CAROM_TEST_SHORT: one module of csb, on the
oldest and the newest architecture.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cuda_tools import SKIP, find_tool

ARCHITECTURES = [80, 86, 89, 90, 100, 120]

DIVIDES = re.compile(r"\b(?:div|sqrt|rcp)\.rn\.(f32|f64)(\s+%\w+,\s*)([^,;]+)(?:,[^;]+)?;")
# HFMA2 R1, -RZ, RZ, x, y is how a GPU loads a constant.
FUSED = re.compile(r"^.*?\b([FDH]FMA2?\S*)\s+(?!R\d+, -RZ, RZ, )(.*?);", re.M)
ARITHMETIC = re.compile(r"\b[FD](?:ADD|MUL)\b")


def check(ptxas, nvdisasm, module, architecture):
    """Findings in one module on one architecture, a line each."""
    name = f"{module.stem}, sm_{architecture}"
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder) / "module.ptx", Path(folder) / "module.cubin"
        text = module.read_text(encoding="utf-8")
        source.write_text(DIVIDES.sub(r"add.rn.\1\2\3, \3;", text), encoding="utf-8")
        made = subprocess.run([ptxas, f"-arch=sm_{architecture}", source, "-o", cubin],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            return [f"{name}: {made.stderr.strip()}"]
        sass = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout
    if re.search(r"\.rn\.f(32|64)\b", text) and not ARITHMETIC.search(sass):
        return [f"{name}: no sum and no product is left: this check sees nothing"]
    return [f"{name}: {match[1]} {match[2].strip()}" for match in FUSED.finditer(sass)]


def main(paths):
    ptxas, nvdisasm = find_tool("ptxas"), find_tool("nvdisasm")
    if ptxas is None or nvdisasm is None:
        print(f"no {'nvdisasm' if ptxas else 'ptxas'}")
        return SKIP
    modules, architectures = [Path(path) for path in paths], ARCHITECTURES
    if "CAROM_TEST_SHORT" in os.environ:
        modules = [module for module in modules if module.stem == "csb_f64"]
        architectures = [ARCHITECTURES[0], ARCHITECTURES[-1]]
    jobs = [(module, architecture) for module in modules for architecture in architectures]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda job: check(ptxas, nvdisasm, *job), jobs))
    for findings in found:
        print("\n".join(findings[:20]), end="\n" if findings else "")
    print(f"{len(modules)} modules on {len(architectures)} architectures: {sum(map(len, found))} fused products")
    return 1 if any(found) or not jobs else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
