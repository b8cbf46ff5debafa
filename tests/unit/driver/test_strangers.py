"""Files from someone else run no code, write no files, and choose no files that are read, unless the user allows it."""

from __future__ import annotations

import json
from contextvars import copy_context
from io import BytesIO, TextIOWrapper
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

import ndpir
from dialects.files import granting, why_not_read
from ndpir.cli.ending import BAD_INPUT, BAD_USAGE, DONE
from ndpir.cli.opt import main

NUMBERS = np.arange(8, dtype=np.float32)


def program(source: str) -> str:
    return (
        f'func.func @f() -> tensor<8xf32> {{\n  %w = graph.weight "w" = {source} : tensor<8xf32>\n'
        "  func.return %w : tensor<8xf32>\n}\n"
    )


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a folder for programs, and files outside of it."""
    inside = tmp_path / "there"
    (inside / "sub").mkdir(parents=True)
    for path in (tmp_path / "secret.bin", inside / "own.bin", inside / "sub" / "own.bin"):
        NUMBERS.tofile(path)
    (tmp_path / "secret.mlir").write_text("// dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>\n")
    tensor = helper.make_tensor("w", TensorProto.FLOAT, [8], NUMBERS)
    model = helper.make_model(helper.make_graph([], "g", [], [], [tensor]))
    (tmp_path / "secret.onnx").write_bytes(model.SerializeToString())
    (inside / "link.bin").symlink_to("../secret.bin")
    (inside / "up").symlink_to("..")
    (inside / "own_link.bin").symlink_to("sub/own.bin")
    monkeypatch.chdir(tmp_path)
    return inside


OUTSIDE = [
    'file("secret.bin", 0)',
    'file("HERE/secret.bin", 0)',
    'file("there/../secret.bin", 0)',
    'file("there/link.bin", 0)',
    'file("there/up/secret.bin", 0)',
    'onnx("secret.onnx", "w")',
    'onnx("HERE/secret.onnx", "w")',
    'literal("secret.mlir", 3)',
    'file("/etc/passwd", 0)',
    'file("/dev/zero", 0)',
]
INSIDE = ['file("there/own.bin", 0)', 'file("HERE/there/sub/own.bin", 0)', 'file("there/own_link.bin", 0)']


@pytest.mark.parametrize("source", OUTSIDE)
@pytest.mark.parametrize("generic", [False, True])
def test_weights_outside_of_the_program_s_folder_are_not_read(
    folder: Path, source: str, generic: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the flag that allows it, with the folder; what needs no numbers works without it."""
    text = program(source.replace("HERE", str(folder.parent)))
    if generic:
        kind, _, rest = source.replace("HERE", str(folder.parent)).partition("(")
        value = rest[:-1] if kind == "onnx" else f"{rest[:-1]} : i64"
        text = (
            "func.func @f() -> tensor<8xf32> {\n"
            f'  %w = "graph.weight"() <{{weight_name = "w", source = #graph.{kind}<{value}>}}> : () -> tensor<8xf32>\n'
            "  func.return %w : tensor<8xf32>\n}\n"
        )
    (folder / "x.mlir").write_text(text)
    assert main(["there/x.mlir", "-t", "values"]) == BAD_INPUT
    err = capsys.readouterr().err.splitlines()[0]
    assert "is outside of the folder of there/x.mlir, which names it; to read it nevertheless, add --allow-read " in err
    assert main(["there/x.mlir"]) == DONE
    assert main(["there/x.mlir", "--machine", "toy", "-p", "place", "-t", "timeline"]) == DONE
    capsys.readouterr()
    if "/etc" in source or "/dev" in source:
        return
    allowed = err.partition("--allow-read ")[2].partition(" (in Python")[0]
    assert main(["there/x.mlir", "-t", "values", "--allow-read", allowed]) == DONE
    assert "mean" in capsys.readouterr().out


@pytest.mark.parametrize("source", INSIDE)
def test_weights_in_the_program_s_folder_are_read(
    folder: Path, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "x.mlir").write_text(program(source.replace("HERE", str(folder.parent))))
    assert main(["there/x.mlir", "-t", "values"]) == DONE
    assert "mean 3.5" in capsys.readouterr().out


def test_a_program_that_is_a_link_may_read_beside_both_ends(folder: Path) -> None:
    (folder / "x.mlir").write_text(program('file("there/own.bin", 0)'))
    Path("shown").mkdir()
    Path("shown/x.mlir").symlink_to("../there/x.mlir")
    assert main(["shown/x.mlir", "-t", "values"]) == DONE


def test_a_program_on_stdin_may_read_in_the_current_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(text: str) -> int:
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text.encode())))
        return main(["-t", "values"])

    assert run(program('file("secret.bin", 0)')) == DONE
    monkeypatch.chdir(folder)
    assert run(program('file("../secret.bin", 0)')) == BAD_INPUT
    assert "../secret.bin is outside of the current folder; to read it nevertheless, add --allow-read .." in (
        capsys.readouterr().err
    )


def test_in_python_each_program_has_its_own_folder(folder: Path) -> None:
    """Reading one program does not let another one read its weights, until the user allows the folder."""
    Path("other").mkdir()
    NUMBERS.tofile("other/w.bin")
    Path("other/own.mlir").write_text(program('file("other/w.bin", 0)'))
    (folder / "x.mlir").write_text(program('file("other/w.bin", 0)'))
    assert ndpir.run(ndpir.read("other/own.mlir"))[0].tolist() == NUMBERS.tolist()
    stranger = ndpir.read("there/x.mlir")
    with pytest.raises(ndpir.InputError, match=r"add --allow-read other \(in Python: ndpir.allow_read\)"):
        ndpir.run(stranger)

    def allowed() -> None:
        ndpir.allow_read("other")
        assert ndpir.run(ndpir.compile(stranger, "canonicalize"))[0].tolist() == NUMBERS.tolist()

    copy_context().run(allowed)
    with pytest.raises(ndpir.InputError):
        ndpir.run(stranger)


@pytest.mark.parametrize(
    "ops",
    [
        'hw.device @gpu = "../outside.sheet"',
        'hw.device @gpu = "HERE/outside.sheet"',
        'hw.device @gpu = "HERE/outside.sheet:outside"',
        'hw.device @gpu = "link.sheet"',
        'hw.device @gpu = "toy_gpu" {profile = "../outside.json"}',
        'hw.device @gpu = "outside.sheet" loc("HERE/x.mlir":1:1)',
        '"hw.device"() <{sym_name = "gpu", sheet = "../outside.sheet", changes = {}}> : () -> ()',
    ],
)
def test_sheets_and_profiles_outside_of_the_program_s_folder_are_not_read(
    folder: Path, ops: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs and machines name sheets and profiles in their own folders; others need a flag. A location that the text
    states changes nothing."""
    Path("outside.sheet").write_text('device outside = toy_gpu "of the user"\n')
    row = {"device": "gpu", "key": "k", "times_ns": [1]}
    Path("outside.json").write_text(json.dumps({"format": "ndpir-profile-1", "rows": [row]}))
    (folder / "link.sheet").symlink_to("../outside.sheet")
    text = ops.replace("HERE", str(folder.parent)) + "\n"
    (folder / "x.mlir").write_text(text + "func.func @f() {\n  func.return\n}\n")
    (folder / "machine.mlir").write_text(text)
    for words in (["there/x.mlir"], ["--machine", "there/machine.mlir", "there/plain.mlir"]):
        (folder / "plain.mlir").write_text("func.func @f() {\n  func.return\n}\n")
        if words[0] == "--machine" and "loc(" in ops:
            continue  # machine files state no locations
        assert main([*words, "-t", "timeline"]) == BAD_INPUT
        err = capsys.readouterr().err
        assert "is outside of the folder of there/" in err
        assert "add --allow-read" in err
        assert main([*words, "-t", "timeline", "--allow-read", "."]) == DONE
        capsys.readouterr()


def test_sheets_in_folders_of_sheets_are_read(folder: Path) -> None:
    """The user has named these folders."""
    Path("sheets").mkdir()
    Path("sheets/outside.sheet").write_text('device outside = toy_gpu "of the user"\n')
    (folder / "x.mlir").write_text('hw.device @gpu = "../sheets/outside.sheet"\nfunc.func @f() {\n  func.return\n}\n')
    assert main(["there/x.mlir", "-t", "timeline"]) == BAD_INPUT
    assert main(["there/x.mlir", "-t", "timeline", "--sheets", "sheets"]) == DONE


def test_external_data_of_a_model_may_be_allowed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weight = TensorProto(name="w", dims=[8], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="../secret.bin")
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [8]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", values[:1], values[1:], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    assert main(["there/m.onnx", "-t", "values"]) == BAD_INPUT
    assert "to read it nevertheless, add --allow-read there/.." in capsys.readouterr().err
    assert main(["there/m.onnx", "-t", "values", "--allow-read", "there/.."]) == DONE


def test_paths_of_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path on another drive, or on another computer, is outside of every folder here, and is not looked up."""
    import ntpath

    looked_up: list[str] = []

    def realpath(path: str) -> str:
        looked_up.append(path)
        return ntpath.normpath(path)

    monkeypatch.setattr("dialects.files.os.path", ntpath)
    monkeypatch.setattr(ntpath, "realpath", realpath)
    monkeypatch.setattr(ntpath, "abspath", lambda path: ntpath.join("C:\\work", path))  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
    text = "C:\\work\\x.mlir"
    assert not why_not_read("C:\\work\\sub\\w.bin", text)
    for path in ("D:\\w.bin", "\\\\other\\share\\w.bin", "//other/share/w.bin", "C:\\work\\..\\w.bin", "..\\w.bin"):
        assert "is outside of the folder" in why_not_read(path, text)
    assert not [path for path in looked_up if "other" in path or path.startswith("D:")]
    with granting(["D:\\"]):  # a granted drive is looked up
        assert not why_not_read("D:\\w.bin", text)


def reproducer(path: Path, command: str, text: str) -> None:
    path.write_text(
        f"// ndp-opt 0.1.0\n// command: ndp-opt {command}\n// folder: {path.parent}\n// the program:\n{text}"
    )


MOVES = """\
func.func @main(%x: tensor<50000xf32>) -> tensor<50000xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<50000xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<50000xf32>
  %a = graph.mul %x, %w : tensor<50000xf32>, tensor<50000xf32>
  %b = graph.mul %a, %v : tensor<50000xf32>, tensor<50000xf32>
  func.return %b : tensor<50000xf32>
}
"""


def test_a_reproducer_runs_its_plugins_only_with_a_flag(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plugin.py").write_text("open('run', 'w').close()\nPIPELINES = {'theirs': (('canonicalize', 'why'),)}\n")
    for flag in ("--plugin plugin.py", "--plugin=plugin.py"):
        reproducer(folder / "r.mlir", f"x.mlir {flag} -p theirs --allow-plugins", program("uniform(0.0, 1.0, 1)"))
        assert main(["--run-reproducer", "there/r.mlir"]) == BAD_USAGE
        err = capsys.readouterr().err
        assert "runs the plugin plugin.py, which is Python code; to run it, add --allow-plugins" in err
        assert not (folder / "run").exists()
    assert main(["--run-reproducer", "there/r.mlir", "--allow-plugins"]) == DONE
    assert (folder / "run").exists()


def test_a_reproducer_writes_only_the_output_that_the_user_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither -o nor the files of passes and targets that the reproducer names are written."""
    (folder / "kept.txt").write_text("kept")
    words = "x.mlir --machine toy-tiers --set gpu.memory=700kB -o kept.txt"
    reproducer(folder / "r.mlir", f"{words} -p 'place{{policy=gpu}},prefetch{{policy=plan save=\"kept.txt\"}}'", MOVES)
    assert main(["--run-reproducer", "there/r.mlir", "-t", "mlir", "-o", "out.mlir"]) == DONE
    assert (folder / "kept.txt").read_text() == "kept"
    assert "kept.txt: note: this file is not written: a repeated run writes only" in capsys.readouterr().err
    assert Path("out.mlir").read_text().startswith("builtin.module")
    assert not (folder / "out.mlir").exists()


def test_paths_beside_a_reproducer_are_relative_to_the_current_folder(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The recorded folder is someone else's: it gives a relative path of the user no other meaning."""
    text = f"import pathlib\npathlib.Path('{folder}/run').touch()\nPIPELINES = {{'same': (('canonicalize', 'why'),)}}\n"
    (folder / "mine.py").write_text(text)
    Path("mine.py").write_text("PIPELINES = {'same': (('canonicalize', 'why'),)}\n")
    reproducer(folder / "r.mlir", "x.mlir -t values", program(f'file("{folder}/up/secret.bin", 0)'))
    (folder / "allowed").symlink_to("/")
    Path("allowed").mkdir()
    words = ["--run-reproducer", "there/r.mlir", "--plugin", "mine.py", "--plugin=mine.py", "-p", "same"]
    assert main([*words, "--allow-read", "allowed"]) == BAD_INPUT
    assert "is outside of the folder of" in capsys.readouterr().err
    assert not (folder / "run").exists()
    assert main([*words, "--allow-read=."]) == DONE


def test_the_program_of_a_reproducer_reads_in_the_reproducer_s_folder(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the recorded name of the program nor recorded permissions give access to other folders."""
    secret = f'file("{folder.parent}/secret.bin", 0)'
    reproducer(folder / "r.mlir", f"{folder.parent}/x.mlir -t values --allow-read {folder.parent}", program(secret))
    assert main(["--run-reproducer", "there/r.mlir"]) == BAD_INPUT
    assert f"is outside of the folder of {folder}/r.mlir" in capsys.readouterr().err
    assert main(["--run-reproducer", "there/r.mlir", "--allow-read", str(folder.parent)]) == DONE
    reproducer(folder / "r.mlir", f"{folder.parent}/x.mlir -t values", program('file("own.bin", 0)'))
    assert main(["--run-reproducer", "there/r.mlir"]) == DONE


SHEET = 'device mine = toy_pim "mine" with lanes 16\n'


@pytest.fixture(name="beside")
def _beside(folder: Path) -> Path:
    """The folder of a program whose PIM is a sheet beside it, and a sheet outside of it."""
    machine = 'hw.device @gpu = "toy_gpu"\nhw.device @pim = "evil"\n'
    (folder / "x.mlir").write_text(f"{machine}func.func @f() {{\n  return\n}}\n")
    (folder.parent / "other").mkdir()
    (folder.parent / "other" / "mine.sheet").write_text(SHEET)
    (folder / "link.sheet").symlink_to("../other/mine.sheet")
    return folder


@pytest.mark.parametrize(
    "text",
    [
        'device evil = "/etc/passwd"\n',
        'device evil = "HERE/other/mine.sheet:mine"\n',
        'device evil = "../other/mine.sheet"\n',
        'device evil = "link.sheet"\n',
        'device evil = between\ndevice between = "../other/mine.sheet"\n',
    ],
)
def test_sheets_beside_a_program_choose_no_other_files(
    beside: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sheet in the folder of a program is as much from someone else as the program itself."""
    (beside / "evil.sheet").write_text(text.replace("HERE", str(beside.parent)))
    command = ["there/x.mlir", "-p", "place", "-t", "timeline"]
    assert main(command) == BAD_INPUT
    err = capsys.readouterr().err
    assert err.startswith(("there/evil.sheet:1:15: error: ", "there/evil.sheet:2:")), err
    assert "is outside of the folder of there/evil.sheet, which names it; to read it nevertheless, add --allow" in err
    if "/etc" not in text:
        assert main([*command, "--allow-read", "other"]) == DONE
        assert main([*command, "--sheets", "other"]) == DONE


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("evil.sheet", "../other/evil.sheet"),
        ("broken.sheet", "../other/broken.sheet"),
        ("mine.calibration", "/etc/passwd"),
        ("calibrations", "../other"),
    ],
)
def test_links_beside_a_program_lead_to_no_other_files(
    beside: Path, link: str, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither to sheets and calibrations that are found by their names there."""
    other = beside.parent / "other"
    (other / "evil.sheet").write_text(SHEET.replace("mine", "evil"))
    (other / "broken.sheet").write_text("device broken\nsecret\n")
    (other / "mine.calibration").write_text("secret\n")
    pim = "broken" if link == "broken.sheet" else "evil" if link == "evil.sheet" else "toy_pim"
    (beside / "mine.sheet").write_text('device mine = a100 "mine" with launch 2 us\n')
    text = f'hw.device @gpu = "mine"\nhw.device @pim = "{pim}"\nfunc.func @f() {{\n  return\n}}\n'
    (beside / "x.mlir").write_text(text)
    (beside / link).symlink_to(target)
    assert main(["there/x.mlir", "-p", "place", "-t", "timeline"]) == BAD_INPUT
    err = capsys.readouterr().err
    assert f"`there/{link}" in err
    assert "is a link out of its folder, to /" in err
    assert "put the file itself there, or add --allow-read" in err
    assert "secret" not in err
    if link == "evil.sheet":
        assert main(["there/x.mlir", "-p", "place", "-t", "timeline", "--allow-read", "other"]) == DONE


def test_sheets_that_the_user_names_are_read_with_their_neighbours(
    beside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = beside.parent / "other"
    (other / "far.sheet").write_text('device far = "mine.sheet" "far"\n')
    (other / "box.mlir").write_text('hw.device @gpu = "toy_gpu"\nhw.device @pim = "far.sheet"\n')
    (beside / "y.mlir").write_text("func.func @f() {\n  return\n}\n")
    for machine in ("other/box.mlir", str(other / "box.mlir")):
        assert main(["there/y.mlir", "--machine", machine, "-p", "place", "-t", "timeline"]) == DONE
    assert main(["there/y.mlir", "--machine", "box", "--sheets", "other", "-p", "place", "-t", "timeline"]) == DONE
    assert main(["--show-device", "other/far.sheet"]) == DONE
