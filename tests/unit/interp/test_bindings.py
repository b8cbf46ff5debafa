"""Tests of input files: arguments take their arrays from `.npz` and safetensors files, by name or position."""

from __future__ import annotations

import json
import zipfile
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
        (b"\x02" + bytes(7) + b"{]", "a.safetensors:1:2: the file's header is not valid JSON: expecting property name"),
        (b"\x02" + bytes(7) + b"\xff\xff", "the file's header is not UTF-8 text: byte 0 is 0xff"),
        (b"\x02" + bytes(7) + b"[]", "its header names no tensors"),
        (b"\x09" + bytes(7) + b'{"w": []}', "`w` in the file's header is not as expected: expected object, got array"),
    ],
)
def test_broken_safetensors_are_errors(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(data)
    with pytest.raises(ndpir.InputError, match=expected):
        run(path)


def test_a_name_in_two_files_is_an_error(tmp_path: Path) -> None:
    from interp.walk.bindings import bound_inputs
    from interp.walk.entry import entry_of

    paths = [str(safetensors(tmp_path / f"{name}.safetensors", w=("F32", W))) for name in "ab"]
    with pytest.raises(ndpir.InputError, match=r"`w` is also in .*a.safetensors; keep it in one of the files"):
        bound_inputs(entry_of(ndpir.parse(PROGRAM)), paths, 0)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (
            '"w": {"dtype": "F32", "shape": [true, 16], "data_offsets": [0, 64]}',
            r"shape\[0\]`: expected int, got bool",
        ),
        (
            '"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 1180591620717411303424]}',
            r"data_offsets\[1\]`: exp",
        ),
        ('"w": {"dtype": "F32", "shape": [0, 4611686018427387904], "data_offsets": [0, 0]}', r"of shape \[0, 46116"),
        ('"w": {"dtype": "F32", "shape": [NaN], "data_offsets": [0, 8]}', "can't contain NaN, only finite numbers"),
        ('"w": {"dtype": "F32", "shape": [], "data_offsets": [0, 4], "x": 1}', "unknown field x"),
        ('"w": {"dtype": "F32", "dtype": "F32"}', 'has "dtype" twice in one object; keep one'),
        ('"w": 1, "w": 2', 'has "w" twice in one object; keep one'),
        ('"__metadata__": {"a": 1}', "`__metadata__` in the file's header is not as expected"),
    ],
)
def test_a_header_of_safetensors_is_checked(tmp_path: Path, stated: str, expected: str) -> None:
    path, header = tmp_path / "a.safetensors", f"{{{stated}}}".encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(64))
    with pytest.raises(ndpir.InputError, match=expected):
        run(path)


def archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


def npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode("latin-1")
    width = 2 if version == b"\x01\x00" else 4
    return b"\x93NUMPY" + version + len(text).to_bytes(width, "little") + text + data


STATED = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"
GOOD_X = npy("{'descr': '|V2', 'fortran_order': False, 'shape': (3,)}", X.tobytes())


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        (b"no array", "its member `w` is no array"),
        (b"", "its member `w` is no array"),
        (npy(STATED, W.tobytes(), b"\x03\x00"), "its member `w` is no array"),
        (npy(STATED[:-1], W.tobytes()), "`w` has a header that can't be read"),
        (npy("(" * 900), "`w` has a header that can't be read"),
        (npy("-" * 9000 + "1"), "`w` has a header that can't be read"),
        (npy("{[]: 1}"), "`w` has a header that can't be read"),
        (npy(STATED.replace("False", "0")), "`w` has a header that does not state element type, order and shape"),
        (npy(STATED.replace("2,", "True,")), "`w` has a header that does not state element type, order and shape"),
        (npy(STATED.replace("2,", "-2,")), "`w` has a header that does not state element type, order and shape"),
        (npy(STATED.replace("2,", f"{2**70},")), "`w` has a header that does not state element type, order and shape"),
        (npy(STATED.replace("<f4", "|O")), "`w` holds elements of type |O, but numbers"),
        (npy(STATED + " " * 20_000), "`w` has a header of 20057 bytes, more than 10000"),
        (
            npy(STATED, W.tobytes()[1:]),
            "`w` states 90 bytes unpacked, but its header of 67 bytes states an array of 24",
        ),
        (npy(STATED, bytes(1 << 26)), "`w` states 67108931 bytes unpacked, but its header of 67 bytes states an array"),
        (npy(STATED.replace("2,", "1000000000000,")), "states 79 bytes unpacked"),
        (
            npy(STATED.replace("<", ">"), W.tobytes()),
            "`w` is big-endian float32, but this computer's numbers are little",
        ),
    ],
)
def test_a_member_of_an_archive_that_is_no_array(tmp_path: Path, member: bytes, expected: str) -> None:
    path = archive(tmp_path / "a.npz", {"w.npy": member, "x.npy": GOOD_X})
    with pytest.raises(ndpir.InputError) as error:
        run(path)
    assert expected in str(error.value)
    assert str(path) in str(error.value)


def test_archives_that_numpy_writes(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", w=np.asfortranarray(W), x=X)
    np.testing.assert_array_equal(run(tmp_path / "a.npz")[0], W)
    archive(tmp_path / "b.npz", {"w": npy(STATED, W.tobytes(), b"\x02\x00"), "x.npy": GOOD_X}, zipfile.ZIP_STORED)
    w, x = run(tmp_path / "b.npz")
    np.testing.assert_array_equal(w, W)
    np.testing.assert_array_equal(x, X)


def test_broken_archives_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"

    def refused(expected: str) -> None:
        with pytest.raises(ndpir.InputError) as error:
            run(path)
        assert expected in str(error.value)

    members = {"w.npy": npy(STATED, W.tobytes()), "x.npy": GOOD_X}
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        archive(path, members, method)
        refused(f"its member `w` is compressed by method {method}, but numpy writes members stored or deflated")
    good = archive(path, members, zipfile.ZIP_STORED).read_bytes()
    directory = good.index(b"PK\x01\x02")
    path.write_bytes(good[: directory + 8] + b"\x01" + good[directory + 9 :])
    refused("its member `w` is encrypted")
    path.write_bytes(good[: directory + 10] + b"\x63" + good[directory + 11 :])
    refused("its member `w` is compressed by method 99")
    path.write_bytes(good.replace(W.tobytes(), bytes(24)))
    refused("its member `w` is broken (Bad CRC-32 for file 'w.npy')")
    path.write_bytes(good[:-1])
    refused("can't be read as an .npz file of arrays (numpy.savez makes one): File is not a zip file")
    archive(path, {"w.npy": members["w.npy"], "w": members["x.npy"]})
    refused("it has two members `w`")
    np.save(tmp_path / "a.npy", W)
    path.write_bytes((tmp_path / "a.npy").read_bytes())
    refused("the file holds one array, but an .npz file of named arrays is expected")


def test_a_stated_size_that_is_too_small_is_found_at_the_checksum(tmp_path: Path) -> None:
    """A member that unpacks to more bytes than its directory states: only the stated bytes are unpacked."""
    path = archive(tmp_path / "a.npz", {"w.npy": npy(STATED, W.tobytes() + bytes(1 << 20)), "x.npy": GOOD_X})
    data, stated = path.read_bytes(), (91 + (1 << 20)).to_bytes(4, "little")
    assert data.count(stated) == 2
    path.write_bytes(data.replace(stated, (91).to_bytes(4, "little")))
    with pytest.raises(ndpir.InputError, match="its member `w` is broken"):
        run(path)
