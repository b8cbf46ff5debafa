"""Tests of input files: arguments take their arrays from `.npz` and safetensors files, by name or position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ndpir
from dialects.diagnostics import notes_to

PROGRAM = """func.func @main(%w: tensor<2x3xf32> {jax.arg_info = "params['dense']['w']"}, %x: tensor<3xbf16>)
    -> (tensor<2x3xf32>, tensor<3xbf16>) {
  func.return %w, %x : tensor<2x3xf32>, tensor<3xbf16>
}"""
W = np.arange(6, dtype=np.float32).reshape(2, 3)
X = np.array([1, 2, 3], ml_dtypes.bfloat16)


def safetensors(path: Path, **entries: tuple[str, Any]) -> Path:
    """Write a safetensors file; `entries` holds, for each name, the stated element type and the array."""
    header: dict[str, object] = {"__metadata__": {"format": "np"}}
    data = b""
    for name, (kind, array) in entries.items():
        raw = array.tobytes()
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def run(path: Path) -> list[Any]:
    return ndpir.run(ndpir.parse(PROGRAM), path)


@pytest.mark.parametrize("names", [("params['dense']['w']", "x"), ("params/dense/w", "x"), ("w", "arg1")])
def test_arrays_are_found_by_jax_s_names_or_by_the_program_s(tmp_path: Path, names: tuple[str, str]) -> None:
    np.savez(tmp_path / "a.npz", **dict(zip(names, (W, X), strict=True)))  # pyright: ignore[reportArgumentType]
    checkpoint = safetensors(tmp_path / "a.safetensors", **{names[0]: ("F32", W), names[1]: ("BF16", X)})
    for path in (tmp_path / "a.npz", checkpoint):
        w, x = run(path)
        np.testing.assert_array_equal(w, W)
        np.testing.assert_array_equal(x, X)


def test_arrays_without_names_are_bound_by_position(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", W, X)
    np.testing.assert_array_equal(run(tmp_path / "a.npz")[0], W)


def test_arguments_that_a_file_lacks_are_drawn_at_random_with_a_note(tmp_path: Path) -> None:
    notes: list[str] = []
    with notes_to(lambda message, place: notes.append(message)):
        _, x = run(safetensors(tmp_path / "a.safetensors", w=("F32", W)))
    assert notes == ["1 of 2 arguments are in no file and drawn from seed 0: `x`"]
    np.testing.assert_array_equal(x, ndpir.run(ndpir.parse(PROGRAM))[1])


def test_an_extra_array_is_ignored_only_if_no_argument_lacks_one(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", w=W, x=X, unused=W)
    np.testing.assert_array_equal(run(tmp_path / "a.npz")[0], W)
    np.savez(tmp_path / "a.npz", w=W, X2=X)
    with pytest.raises(ndpir.InputError, match=r"a.npz: `X2` names no argument of @main, and `x` has no array; did"):
        run(tmp_path / "a.npz")


WRONG: list[tuple[dict[str, tuple[str, Any]], str]] = [
    (
        {"w": ("F32", W.T), "x": ("BF16", X)},
        r"`w` is float32 of shape \[3, 2\], but argument `params\['dense'\]",
    ),
    ({"w": ("F64", W.astype(np.float64)), "x": ("BF16", X)}, r"`w` is float64 .* is float32 .*; convert its numbers"),
    (
        {"w": ("F8_E4M3", W), "x": ("BF16", X)},
        r"`w` holds numbers of type F8_E4M3, which are not supported; convert them to F32",
    ),
    (
        {"w": ("F32", W.astype(np.float64)), "x": ("BF16", X)},
        r"`w` is F32 of shape \[2, 3\], but its header gives it bytes 0 to",
    ),
]


@pytest.mark.parametrize(("entries", "expected"), WRONG)
def test_wrong_entries_are_errors(tmp_path: Path, entries: dict[str, tuple[str, Any]], expected: str) -> None:
    path = safetensors(tmp_path / "a.safetensors", **entries)
    with pytest.raises(ndpir.InputError, match=expected):
        run(path)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "its header would have 0 of the file's 0 bytes"),
        (b"\xff" * 9, "its header would have 18446744073709551615 of the file's 9 bytes"),
        (b"\x02" + bytes(7) + b"{]", "its header is not JSON"),
        (b"\x02" + bytes(7) + b"[]", "its header names no tensors"),
        (b"\x09" + bytes(7) + b'{"w": []}', "the header does not state type, shape and offsets of `w`"),
    ],
)
def test_broken_files_are_errors(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(data)
    with pytest.raises(ndpir.InputError, match=expected):
        run(path)


def test_a_name_in_two_files_is_an_error(tmp_path: Path) -> None:
    from interp.program.bindings import bound_inputs
    from interp.program.entry import entry_of

    paths = [str(safetensors(tmp_path / f"{name}.safetensors", w=("F32", W))) for name in "ab"]
    with pytest.raises(ndpir.InputError, match=r"`w` is also in .*a.safetensors; keep it in one of the files"):
        bound_inputs(entry_of(ndpir.parse(PROGRAM)), paths, 0)
