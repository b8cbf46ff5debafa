"""Archives of exported programs from strangers: no input ends in a traceback, and no pickle is read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

import ndpir
from ndpir.frontends.torch.archive import read_archive

DATA = Path(__file__).parents[2] / "data" / "torch"
Change = Callable[[str, bytes], bytes | None]
"""The new contents of an entry of an archive; None removes it."""


def changed(path: Path, change: Change, compression: int = 0) -> Path:
    """A copy of a stored archive with other entries."""
    made = path / "model.pt2"
    with ZipFile(DATA / "cached.pt2") as archive, ZipFile(made, "w", compression) as copy:
        for info in archive.infolist():
            if (data := change(info.filename.partition("/")[2], archive.read(info))) is not None:
                copy.writestr(info.filename, data)
    return made


def in_json(name: str, edit: Callable[[Any], None]) -> Change:
    """A change of one entry that is JSON."""

    def change(entry: str, data: bytes) -> bytes:
        if entry != name:
            return data
        found = json.loads(data)
        edit(found)
        return json.dumps(found).encode()

    return change


def refused(path: Path, message: str) -> None:
    with pytest.raises(ndpir.InputError, match=message):
        ndpir.read(path)


def test_an_unchanged_copy_is_read(tmp_path: Path) -> None:
    assert "graph.rms_norm" in ndpir.write(ndpir.read(changed(tmp_path, lambda _, data: data)))


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    def edit(found: Any) -> None:
        found["config"]["qkv.weight"]["use_pickle"] = True

    path = changed(tmp_path, in_json("data/weights/model_weights_config.json", edit))
    refused(path, "the weight `qkv.weight` is stored as a pickle, which could run code when it is read; if you trust")


def pickled(path: Path, data: bytes) -> Path:
    """The archive with one weight as a pickle."""

    def edit(found: Any) -> None:
        found["config"]["qkv.weight"]["use_pickle"] = True

    with ZipFile(DATA / "cached.pt2") as archive:
        (config,) = (name for name in archive.namelist() if name.endswith("model_weights_config.json"))
        entry = json.loads(archive.read(config))["config"]["qkv.weight"]["path_name"]
    as_pickle = in_json("data/weights/model_weights_config.json", edit)

    def change(name: str, content: bytes) -> bytes | None:
        return data if name == f"data/weights/{entry}" else as_pickle(name, content)

    return changed(path, change)


def test_a_pickle_that_is_trusted_needs_pytorch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ndpir.InputError, match=r"reading the pickled weight `qkv\.weight` needs PyTorch"):
        ndpir.read(pickled(tmp_path, b"any"), trust_pickles=True)


def test_a_pickle_that_is_trusted_is_read_by_pytorch(tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    weight = torch.arange(192, dtype=torch.float32).reshape(24, 8) / 192
    data = BytesIO()
    torch.save(torch.nn.Parameter(weight), data)
    path = pickled(tmp_path, data.getvalue())
    refused(path, "is stored as a pickle")
    held = read_archive(str(path), trusts_pickles=True).weights["qkv.weight"]
    numbers = held.read(0, weight.numel())
    assert numbers is not None
    np.testing.assert_array_equal(np.frombuffer(numbers, np.float32).reshape(24, 8), weight.numpy())
    assert "graph.matmul" in ndpir.write(ndpir.read(path, trust_pickles=True))


def test_pickled_objects_are_refused(tmp_path: Path) -> None:
    payload = {"path_name": "custom_obj_0", "is_param": False, "use_pickle": True, "tensor_meta": None}
    change = in_json("data/constants/model_constants_config.json", lambda found: found["config"].update(thing=payload))
    refused(changed(tmp_path, change), "`thing` is stored as a pickle of a Python object")


def test_the_pickle_of_sample_inputs_is_not_read(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda name, data: b"no pickle" if "sample_inputs" in name else data)
    assert read_archive(str(path)).inputs


def test_a_pickle_of_torch_save_is_refused(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda name, data: data if name == "version" else None)
    with ZipFile(path, "a") as archive:
        archive.writestr("model/data.pkl", b"cos\nsystem\n(S'true'\ntR.")
    refused(path, r"this file is a pickle of torch\.save or a TorchScript module, which could run code")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no zip file", "this is no archive of an exported program; write one by torch.export.save"),
        (b"PK\x05\x06" + bytes(18), "this zip file holds no exported program"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "model.pt2").write_bytes(data)
    refused(tmp_path / "model.pt2", message)


def test_another_version_of_the_schema_is_refused(tmp_path: Path) -> None:
    change = in_json("models/model.json", lambda found: found["schema_version"].update(major=9))
    refused(changed(tmp_path, change), "version 9 of the schema of exported programs, but version 8 is read")


@pytest.mark.parametrize("key", ["graph_module", "schema_version", "range_constraints"])
def test_a_graph_without_a_part_is_refused(tmp_path: Path, key: str) -> None:
    refused(changed(tmp_path, in_json("models/model.json", lambda found: found.pop(key))), "does not follow the schema")


def test_damaged_text_is_refused(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda name, data: data[:-9] if name == "models/model.json" else data)
    refused(path, "the entry `models/model.json` is damaged: it is no JSON text")


def test_missing_and_short_weights_are_refused(tmp_path: Path) -> None:
    refused(
        changed(tmp_path, lambda name, data: None if name.endswith("weight_0") else data), "the archive has no entry"
    )
    path = changed(tmp_path, lambda name, data: data[:8] if name.endswith("weight_0") else data)
    refused(path, "does not fit the 8 bytes that the archive has for it")


def test_compressed_weights_are_refused(tmp_path: Path) -> None:
    refused(
        changed(tmp_path, lambda _, data: data, ZIP_DEFLATED), "are compressed, so that they can't be read in place"
    )


def test_a_node_with_wrong_arguments_is_refused_with_its_place(tmp_path: Path) -> None:
    def edit(found: Any) -> None:
        for node in found["graph_module"]["graph"]["nodes"]:
            if "linear" in node["target"]:
                node["inputs"] = node["inputs"][:1]

    path = changed(tmp_path, in_json("models/model.json", edit))
    refused(path, r"qkv \(pytorch_stored\.py:\d+\): aten\.linear\.default: the argument `weight` is missing")


def test_a_result_of_another_type_is_refused(tmp_path: Path) -> None:
    def edit(found: Any) -> None:
        found["graph_module"]["graph"]["tensor_values"]["linear"]["sizes"][2]["as_int"] = 25

    refused(changed(tmp_path, in_json("models/model.json", edit)), "aten.linear.default: ")
