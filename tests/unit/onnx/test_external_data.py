"""Tests of external data of models: files outside of the model's folder are not read, and pipes and devices are refused
without waiting."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from ndpir.cli.ending import BAD_INPUT, DONE
from ndpir.cli.opt import main


def model(path: Path, location: str, node: str = "add") -> None:
    """Write a model whose weight of 8 numbers is at the start of the file `location`."""
    weight = TensorProto(name="w", dims=[8], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value=location)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [8]) for name in ("x", "y")]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"], name=node)], "g", values[:1], values[1:], [weight]
    )
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parent, inside = tmp_path / "there", tmp_path / "there" / "in"
    inside.mkdir(parents=True)
    np.arange(8, dtype=np.float32).tofile(inside / "w.bin")
    np.arange(8, dtype=np.float32).tofile(tmp_path / "secret.bin")
    (parent / "out").symlink_to("..")
    (parent / "link.bin").symlink_to("../secret.bin")
    (parent / "good.bin").symlink_to("in/w.bin")
    (parent / "zero").symlink_to("/dev/zero")
    os.mkfifo(parent / "pipe")
    return parent


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("link.bin", "which is a link out of the model's folder, to "),
        ("out/secret.bin", "which is a link out of the model's folder, to "),
        ("zero", "which is a link out of the model's folder, to /dev/zero"),
        ("../secret.bin", "which is no file beside the model"),
        ("in/../../secret.bin", "which is no file beside the model"),
        ("/dev/zero", "which is no file beside the model"),
        ("pipe", "can't be read (it is a pipe, not a file)"),
        ("in", "can't be read (it is a folder, not a file)"),
    ],
)
def test_data_outside_of_the_model_s_folder_is_refused(
    folder: Path, location: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model(folder / "m.onnx", location)
    assert main([str(folder / "m.onnx"), "-t", "values"]) == BAD_INPUT
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("location", ["in/w.bin", "good.bin"])
def test_data_in_the_model_s_folder_is_read(folder: Path, location: str, capsys: pytest.CaptureFixture[str]) -> None:
    model(folder / "m.onnx", location)
    assert main([str(folder / "m.onnx"), "-t", "values"]) == DONE
    assert "max 6.0331" in capsys.readouterr().out


def test_model_and_data_may_be_links_to_files_of_one_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In caches of model hubs, a model and its data are links into a common folder."""
    store, shown = folder / "store", folder / "shown"
    store.mkdir()
    shown.mkdir()
    np.arange(8, dtype=np.float32).tofile(store / "2")
    model(store / "1", "m.data")
    (shown / "m.onnx").symlink_to("../store/1")
    (shown / "m.data").symlink_to("../store/2")
    assert main([str(shown / "m.onnx"), "-t", "values"]) == DONE
    assert "max 6.0331" in capsys.readouterr().out


@pytest.mark.parametrize("location", ["link.bin", "zero", "pipe"])
def test_a_weight_op_that_refers_to_a_model_is_refused_in_the_same_cases(
    folder: Path, location: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model(folder / "m.onnx", location)
    (folder / "x.mlir").write_text(
        f'func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {{\n  %w = graph.weight "a" = onnx("{folder}/m.onnx", "w")'
        " : tensor<8xf32>\n  func.return %w : tensor<8xf32>\n}\n"
    )
    assert main([str(folder / "x.mlir"), "-t", "values"]) == BAD_INPUT
    assert "can't be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["-f", "onnx", "PIPE"],
        ["P", "-t", 'values{inputs="PIPE"}'],
        ["P", "--machine", "toy", "--profile", "PIPE"],
        ["P", "--machine", "MACHINE"],
    ],
)
def test_pipes_and_devices_in_place_of_files_are_errors(
    folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p.mlir").write_text("func.func @f(%x: tensor<8xf32>) {\n  func.return\n}\n")
    (folder / "zero.mlir").symlink_to("/dev/zero")
    names = {"PIPE": "pipe", "MACHINE": "zero.mlir", "P": "p.mlir"}
    given = [word.replace("PIPE", str(folder / "pipe")) for word in words]
    given = [str(folder / names[word]) if word in names else word for word in given]
    assert main(given) == BAD_INPUT
    assert "not a file" in capsys.readouterr().err


@pytest.mark.slow
def test_very_long_names_are_shortened_in_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model(folder / "m.onnx", "in/w.bin", node="n" * 1_000_000)
    path = str(folder / "m.onnx")
    for words in (["-t", "timeline", "--machine", "toy"], ["-t", "values{entry=none}"], []):
        main([path, *words])
        out, err = capsys.readouterr()
        assert len(out) + len(err) < 5000
    (folder / "x.mlir").write_text(f'hw.device @gpu = "{"n" * 1_000_000}"\nfunc.func @f() {{\n  func.return\n}}\n')
    assert main([str(folder / "x.mlir"), "-t", "timeline"]) == BAD_INPUT
    assert "there is no data sheet" in capsys.readouterr().err


def test_a_weight_larger_than_memory_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.mlir").write_text(
        'func.func @f() -> tensor<1000000x1000000xf32> {\n  %w = graph.weight "a" = uniform(0.0, 1.0, 1)'
        " : tensor<1000000x1000000xf32>\n  func.return %w : tensor<1000000x1000000xf32>\n}\n"
    )
    assert main([str(folder / "x.mlir"), "-t", "values"]) == BAD_INPUT
    assert (
        "x.mlir:2:8: error: graph.weight: tensor<1000000x1000000xf32> of 4000000000000 bytes" in capsys.readouterr().err
    )


@pytest.mark.slow
def test_a_chain_of_thousands_of_nodes_is_read_verified_and_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No step from import to printing may recurse once per node."""
    count = 3000
    nodes = [helper.make_node("Relu", [f"v{index}"], [f"v{index + 1}"]) for index in range(count)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in ("v0", f"v{count}")]
    graph = helper.make_graph(
        nodes[::-1], "g", ends[:1], ends[1:]
    )  # listed in reverse, so that the import must sort them
    path = tmp_path / "m.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    assert main([str(path)]) == DONE
    assert capsys.readouterr().out.count("graph.relu") == count
