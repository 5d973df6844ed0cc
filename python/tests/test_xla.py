# SPDX-License-Identifier: MIT
"""`python/src/xla.h` matches the header of the installed jaxlib: sizes, offsets, version."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

OURS = Path(__file__).resolve().parents[1] / "src"
# Ours: theirs, a structure with its members, or a number.
STRUCTURES = {
    ("xla_extension", "XLA_FFI_Extension_Base"): "size struct_size, type type, next next",
    ("xla_version", "XLA_FFI_Api_Version"): "start struct_size, start.extensions extension_start, "
    "major major_version, minor minor_version",
    ("xla_metadata", "XLA_FFI_Metadata"): "size struct_size, version api_version, traits traits",
    ("xla_metadata_extension", "XLA_FFI_Metadata_Extension"): "start extension_base, metadata metadata",
    ("xla_error_arguments", "XLA_FFI_Error_Create_Args"): "start struct_size, start.extensions extension_start, "
    "message message, code errc",
    ("xla_api", "XLA_FFI_Api"): "start struct_size, version api_version, inside internal_api, "
    "make_error XLA_FFI_Error_Create, stream XLA_FFI_Stream_Get",
    ("xla_stream_arguments", "XLA_FFI_Stream_Get_Args"): "start struct_size, context ctx, stream stream",
    ("xla_buffer", "XLA_FFI_Buffer"): "start struct_size, type dtype, data data, rank rank, dims dims",
    ("xla_buffers", "XLA_FFI_Args"): "start struct_size, count size, types types, buffers args",
    ("xla_buffers", "XLA_FFI_Rets"): "start struct_size, count size, types types, buffers rets",
    ("xla_text", "XLA_FFI_ByteSpan"): "bytes ptr, length len",
    ("xla_attributes", "XLA_FFI_Attrs"): "start struct_size, count size, types types, names names, values attrs",
    ("xla_call", "XLA_FFI_CallFrame"): "start struct_size, start.extensions extension_start, api api, context ctx, "
    "stage stage, arguments args, results rets, attributes attrs",
}
# Those that are within another, or of which XLA reads the size: as long as theirs.
WHOLE = ("xla_extension", "xla_version", "xla_metadata_extension", "xla_error_arguments", "xla_buffers", "xla_text",
         "xla_attributes", "xla_stream_arguments")  # fmt: skip
NUMBERS = {
    "XLA_EXTENSION_METADATA": "XLA_FFI_Extension_Metadata",
    "XLA_INVALID_ARGUMENT": "XLA_FFI_Error_Code_INVALID_ARGUMENT",
    "XLA_S32": "XLA_FFI_DataType_S32",
    "XLA_U8": "XLA_FFI_DataType_U8",
    "XLA_U32": "XLA_FFI_DataType_U32",
    "XLA_F32": "XLA_FFI_DataType_F32",
    "XLA_STRING": "XLA_FFI_AttrType_STRING",
    "XLA_MAJOR": "XLA_FFI_API_MAJOR",
}


def program() -> str:
    lines = ["#include <xla/ffi/api/c_api.h>", '#include "xla.h"']

    def same(ours: str, theirs: str, what: str = "") -> None:
        lines.append(f'_Static_assert((long long){ours} == (long long){theirs}, "{what or ours}");')

    for (ours, theirs), members in STRUCTURES.items():
        for member in members.split(", "):
            mine, other = member.split()
            same(f"offsetof({ours}, {mine})", f"offsetof({theirs}, {other})")
            lone = f"sizeof((({ours} *)0)->{mine})", f"sizeof((({theirs} *)0)->{other})"
            if mine not in ("start", "version"):
                same(*lone)
        if ours in WHOLE:
            same(f"sizeof({ours})", f"sizeof({theirs})")
    for mine, other in NUMBERS.items():
        same(mine, other)
    lines.append('_Static_assert(XLA_MINOR <= XLA_FFI_API_MINOR, "a later version than this jaxlib has");')
    return "\n".join(lines) + "\n"


def compiles(source: Path, *folders: Path) -> subprocess.CompletedProcess[str]:
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        pytest.skip("there is no C compiler")
    paths = [f"-I{folder}" for folder in folders]
    # Theirs has prototypes and enumerations that a strict compiler warns of.
    command = [found, "-std=c17", "-fsyntax-only", "-w", *paths, str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_layouts_are_those_of_jaxlib(tmp_path: Path) -> None:
    spec = importlib.util.find_spec("jaxlib")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("jax is not installed")
    theirs = Path(next(iter(spec.submodule_search_locations))) / "include"
    assert (theirs / "xla/ffi/api/c_api.h").is_file()
    source = tmp_path / "same.c"
    source.write_text(program())
    found = compiles(source, OURS, theirs)
    assert found.returncode == 0, found.stderr
    # Each of these changes is seen.
    text = (OURS / "xla.h").read_text()
    for pattern, instead in (
        (r"    int64_t rank;\n", ""),
        (r"int32_t major, minor;", "int32_t minor, major;"),
        (r"XLA_F32 = 11", "XLA_F32 = 12"),
        (r"    void \*context;\n    int32_t stage;", "    int32_t stage;\n    void *context;"),
        (r"XLA_MINOR = \d+", "XLA_MINOR = 1000"),
        (r"    const void \*inside;\n", ""),
        (r"uint32_t traits", "uint64_t traits"),
        (r"const void \*others\[3\]", "const void *others[2]"),
    ):
        changed = re.sub(pattern, instead, text)
        assert changed != text, pattern
        folder = tmp_path / "changed"
        folder.mkdir(exist_ok=True)
        (folder / "xla.h").write_text(changed)
        assert compiles(source, folder, theirs).returncode != 0, pattern
