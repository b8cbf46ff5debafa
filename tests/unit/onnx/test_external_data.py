"""Numbers beside a model: nothing outside of its folder is read, and nothing that is no file is waited for."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from ndpir.cli.ending import BAD_INPUT, DONE
from ndpir.cli.opt import main


def model(path: Path, location: str, node: str = "add") -> None:
    """A model whose weight of 8 numbers stands at the start of another file."""
    weight = TensorProto(name="w", dims=[8], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value=location)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [8]) for name in ("x", "y")]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"], name=node)], "g", values[:1], values[1:], [weight]
    )
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    there, inside = tmp_path / "there", tmp_path / "there" / "in"
    inside.mkdir(parents=True)
    np.arange(8, dtype=np.float32).tofile(inside / "w.bin")
    np.arange(8, dtype=np.float32).tofile(tmp_path / "secret.bin")
    (there / "out").symlink_to("..")
    (there / "link.bin").symlink_to("../secret.bin")
    (there / "good.bin").symlink_to("in/w.bin")
    (there / "zero").symlink_to("/dev/zero")
    os.mkfifo(there / "pipe")
    return there


@pytest.mark.parametrize(
    ("location", "said"),
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
def test_what_is_no_file_in_the_folder_is_refused(
    folder: Path, location: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model(folder / "m.onnx", location)
    assert main([str(folder / "m.onnx"), "-t", "values"]) == BAD_INPUT
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("location", ["in/w.bin", "good.bin"])
def test_files_of_the_folder_are_read(folder: Path, location: str, capsys: pytest.CaptureFixture[str]) -> None:
    model(folder / "m.onnx", location)
    assert main([str(folder / "m.onnx"), "-t", "values"]) == DONE
    assert "max 6.0331" in capsys.readouterr().out


def test_a_store_that_links_model_and_data_is_one_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As caches of model hubs lay them out."""
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
def test_a_weight_that_is_bound_to_a_model_obeys_too(
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
def test_pipes_and_devices_in_place_of_files(
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
def test_names_as_long_as_a_book_are_shortened(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model(folder / "m.onnx", "in/w.bin", node="n" * 1_000_000)
    path = str(folder / "m.onnx")
    for words in (["-t", "timeline", "--machine", "toy"], ["-t", "values{entry=none}"], []):
        main([path, *words])
        out, err = capsys.readouterr()
        assert len(out) + len(err) < 5000
    (folder / "x.mlir").write_text(f'hw.device @gpu = "{"n" * 1_000_000}"\nfunc.func @f() {{\n  func.return\n}}\n')
    assert main([str(folder / "x.mlir"), "-t", "timeline"]) == BAD_INPUT
    assert "there is no data sheet" in capsys.readouterr().err


def test_a_weight_that_no_memory_holds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    """Nothing on the way recurses along the program."""
    count = 3000
    nodes = [helper.make_node("Relu", [f"v{index}"], [f"v{index + 1}"]) for index in range(count)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in ("v0", f"v{count}")]
    graph = helper.make_graph(nodes[::-1], "g", ends[:1], ends[1:])  # in an order that has to be mended, too
    path = tmp_path / "m.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    assert main([str(path)]) == DONE
    assert capsys.readouterr().out.count("graph.relu") == count
