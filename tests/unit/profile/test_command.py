"""The command `ndp-profile`: measured and simulated times, written profiles, and errors. No test depends on real
times."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.ir import SSAValue

import ndpir
from dialects.graph import FusedOp, GraphOp
from interp.machine.profile import Profile, ProfileRow
from interp.machine.profile_file import read_profile
from interp.walk.entry import entry_of
from interp.walk.work_key import key_of
from lowering.banks.templates import clock_for
from lowering.instance.of_program import PlacementProblem
from ndpir.cli.opt import main as opt
from ndpir.cli.profile import PASSES, main
from ndpir.profile import bench as profile_bench
from ndpir.profile import session as profile_session
from ndpir.profile.bench import Bench, Measured
from ndpir.profile.runs import difference
from ndpir.profile.session import is_noisy

pytest.importorskip("onnxruntime")

PROGRAM = """\
func.func @main(%x: tensor<1x128xf32>) -> tensor<1x64xf32> {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<128x128xf32>
  %v = graph.weight "v" = uniform(-0.1, 0.1, 2) : tensor<128x128xf32>
  %u = graph.weight "u" = uniform(-0.1, 0.1, 3) : tensor<128x64xf32>
  %a = graph.matmul %x, %w : tensor<1x128xf32>, tensor<128x128xf32>
  %b = graph.matmul %a, %v : tensor<1x128xf32>, tensor<128x128xf32>
  %c = graph.softmax %b : tensor<1x128xf32>
  %d = graph.reshape %c : tensor<1x128xf32> -> tensor<1x128xf32>
  %y = graph.matmul %d, %u : tensor<1x128xf32>, tensor<128x64xf32>
  func.return %y : tensor<1x64xf32>
}
"""
Change: TypeAlias = Callable[[dict[str, Any]], object]
QUICK = ["--repeats", "2", "--warmup", "0"]
PLACE = f"{PASSES},place{{policy=path}}"


@pytest.fixture(autouse=True)
def in_scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    Path("x.mlir").write_text(PROGRAM)


def profiled(*words: str, file: str = "x.mlir") -> Profile:
    """The profile that one run of the command writes."""
    assert main([file, "-o", "p.json", *QUICK, *words]) == 0
    return read_profile("p.json")


def problem_of(text: str, passes: str = PASSES) -> PlacementProblem:
    module = ndpir.compile(ndpir.parse(text), passes, machine="cpu-pim")
    return PlacementProblem(entry_of(module), clock_for(module))


def test_each_op_is_measured_on_each_device_that_can_run_it(capsys: pytest.CaptureFixture[str]) -> None:
    profile = profiled()
    problem = problem_of(PROGRAM)
    parts = [part for node in problem.nodes for choice in node.choices for part in choice.parts if not part.view]
    assert {(row.device, row.key) for row in profile.rows} == {(part.device, key_of(part.graph_op)) for part in parts}
    assert {row.device: row.kind for row in profile.rows} == {
        "serial": "measured",
        "parallel": "measured",
        "pim": "simulated",
    }
    out = capsys.readouterr().out
    assert out.startswith("4 runs in ")
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["@serial", "@parallel", "@pim"]


def test_simulated_costs_equal_the_clocks() -> None:
    profile = profiled()
    problem = problem_of(PROGRAM)
    costs = {
        key_of(part.graph_op): (part.cost.ns,)
        for node in problem.nodes
        for choice in node.choices
        for part in choice.parts
        if part.device == "pim"
    }
    assert {row.key: row.times_ns for row in profile.rows if row.device == "pim"} == costs != {}
    assert profile.copies
    for copy in profile.copies:
        assert copy.kind == "simulated"
        assert copy.times_ns == (problem.clock.copy_cost(copy.bytes, copy.source, copy.target).ns,)
    assert {(copy.source, copy.target) for copy in profile.copies} == {("serial", "pim"), ("pim", "serial")}


def test_equal_ops_share_one_row() -> None:
    profile = profiled()
    by_op = {(row.device, row.shapes): len(row.times_ns) for row in profile.rows}
    assert by_op["serial", "1x128xbf16, 128x128xbf16 -> 1x128xbf16"] == 2 * 2
    assert by_op["serial", "1x128xbf16, 128x64xbf16 -> 1x64xbf16"] == 2
    assert by_op["pim", "1x128xbf16, 128x128xbf16 -> 1x128xbf16"] == 1


@pytest.mark.slow
def test_ndp_opt_places_with_the_profile(capsys: pytest.CaptureFixture[str]) -> None:
    profiled()
    capsys.readouterr()
    words = ["x.mlir", "--machine", "cpu-pim", "--profile", "p.json", "-p", PLACE, "--summary"]
    assert opt(words) == 0
    message = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("costs"))
    assert message.split(";")[0].endswith(", 0 by the sheets")


def test_measured_only_leaves_out_simulated_rows(capsys: pytest.CaptureFixture[str]) -> None:
    profile = profiled("--measured-only")
    assert {row.kind for row in profile.rows} == {"measured"}
    assert profile.copies == ()
    assert "@pim" in capsys.readouterr().out


def test_header_records_the_run() -> None:
    header: Mapping[str, Any] = profiled("--seed", "7").header
    assert header["run"]["program"] == "x.mlir"
    assert header["run"]["runs"] == {"nodes": 3, "copies": 1}
    assert (header["run"]["repeats"], header["run"]["rounds"], header["run"]["seed"]) == (2, 2, 7)
    assert header["run"]["difference"] < 0.1
    assert header["devices"]["serial"]["threads"] == 1
    assert header["devices"]["parallel"]["threads"] == profile_bench.cores()
    assert header["devices"]["serial"]["computes"] == "f16 and bf16 in f32"
    assert header["tools"]["onnxruntime"]


def test_plan_from_a_file() -> None:
    words = ["x.mlir", "--machine", "cpu-pim", "-p", PASSES, "-t", "profile-plan{json=true together=true}"]
    assert opt([*words, "-o", "plan.json"]) == 0
    given, found = profiled("--plan", "plan.json"), profiled("--together")
    runs: list[Any] = [given.header["run"], found.header["run"]]
    assert [run["runs"] for run in runs] == [{"both": 3}] * 2
    assert [(row.device, row.key) for row in given.rows] == [(row.device, row.key) for row in found.rows]


def edited(change: Change) -> None:
    """Write plan.json, a plan of profiling runs for the program, after `change` was applied to it."""
    words = ["x.mlir", "--machine", "cpu-pim", "-p", PASSES, "-t", "profile-plan{json=true}", "-o", "plan.json"]
    assert opt(words) == 0
    plan = json.loads(Path("plan.json").read_text())
    change(plan["answer"])
    Path("plan.json").write_text(json.dumps(plan))


CHANGES: list[tuple[Change, str]] = [
    (lambda p: p["nodes"].pop(), "the plan has 5 ops, but the program has 6; write the plan for the same"),
    (lambda p: p["nodes"][1].update(choices=["gpu"]), "(gpu) in the plan, but "),
    (lambda p: p["nodes"][1].update(choices=5), "`nodes[1].choices` is 5, but must be a list […]"),
    (lambda p: p["nodes"][1].update(op="a\nb", choices=[None]), 'op 1 is "a\\nb" (null) in the plan, but '),
    (lambda p: p["runs"][0]["placement"].pop(), "runs[0].placement has 5 choices, but the program has 6 ops"),
    (lambda p: p["runs"][0]["placement"].__setitem__(0, "gpu"), 'runs[0].placement[0] is "gpu", but '),
    (lambda p: p["runs"][1]["nodes"].append({"index": 99}), ".index is 99, but the ops of the program are"),
    (lambda p: p["runs"][0].update(kind="all"), 'runs[0].kind is "all", but must be "nodes", "copies" or "both"'),
    (lambda p: p.update(runs={}), "`runs` is an object, but must be a list […]"),
    (lambda p: p.update(symmetric=1), "`symmetric` is 1, but must be true"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_plan_for_another_program_is_rejected(change: Change, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    edited(change)
    capsys.readouterr()
    assert main(["x.mlir", "--plan", "plan.json"]) == 1
    err = capsys.readouterr().err
    assert "plan.json: error: " in err
    assert message in err


def test_ops_missing_from_the_plan_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    edited(lambda p: p.update(runs=p["runs"][:1]))
    assert main(["x.mlir", "--plan", "plan.json", "-o", "p.json", *QUICK]) == 0
    assert {row.device for row in read_profile("p.json").rows} == {"serial"}
    assert "5 of 12 kinds of op are measured in runs of the plan; times of the others" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": }', "plan.json:1:7: error: the plan is not valid JSON: expecting value"),
        (b"\xff", "plan.json: error: the plan is not UTF-8 text"),
        (b"[]", "plan.json: error: the plan is a list, but must be an object {…}"),
        (b"{}", "plan.json: error: the plan's `schema` is not ndpir-answers/1; write the plan with"),
        (b'{"schema": "ndpir-answers/1", "target": "dot"}', "the plan's `target` is not profile-plan; write the plan"),
        (b"[" * 100_000, "plan.json:1:100000: error: the plan is nested too deeply"),
        (b"1" * 5_000, "plan.json: error: the plan can't contain 1111"),
    ],
)
def test_files_that_are_no_plan_are_rejected(data: bytes, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("plan.json").write_bytes(data)
    assert main(["x.mlir", "--plan", "plan.json"]) == 1
    assert message in capsys.readouterr().err


def test_profile_on_stdout(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PROGRAM.encode())))
    assert main(["-", *QUICK]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["format"] == "ndpir-profile-1"
    assert "@parallel" in err


CONV = """\
func.func @main(%x: tensor<1x3x16x16xf32>) -> tensor<1x8xf32> {
  %f = graph.weight "f" = uniform(-0.2, 0.2, 1) : tensor<8x3x3x3xf32>
  %a = graph.conv %x, %f pads = [1, 1, 1, 1], strides = [2, 2] : tensor<1x3x16x16xf32>, tensor<8x3x3x3xf32>
  %b = graph.relu %a : tensor<1x8x8x8xf32>
  %c = graph.add %b, %a : tensor<1x8x8x8xf32>
  %y = graph.reduce mean %c axes = [2, 3] : tensor<1x8x8x8xf32>
  func.return %y : tensor<1x8xf32>
}
"""


@pytest.mark.slow
def test_results_in_f32_are_close(capsys: pytest.CaptureFixture[str]) -> None:
    Path("conv.mlir").write_text(CONV)
    profile = profiled("-p", "canonicalize,fuse", file="conv.mlir")
    run: Any = profile.header["run"]
    assert run["difference"] < 1e-5
    assert {row.device for row in profile.rows} == {"serial", "parallel"}
    capsys.readouterr()
    words = ["--machine", "cpu-pim", "--profile", "p.json", "-p", "canonicalize,fuse,place{policy=path}", "--summary"]
    assert opt(["conv.mlir", *words]) == 0
    assert ", 0 by the sheets" in capsys.readouterr().out


def test_wrong_results_are_an_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Bench.measure

    def wrong(
        self: Bench, op: GraphOp | FusedOp, known: Mapping[SSAValue, Any], given: Mapping[SSAValue, Any], calls: int
    ) -> Measured:
        found = measure(self, op, known, given, calls)
        return Measured([array + array.dtype.type(1) for array in found.results], found.times_ns)

    monkeypatch.setattr(Bench, "measure", wrong)
    assert main(["x.mlir", "-o", "p.json", *QUICK]) == 1
    assert "results of graph.cast on @serial differ from the interpreter's by " in capsys.readouterr().err
    assert not Path("p.json").exists()


def test_ops_that_the_runtime_lacks_use_the_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.mlir").write_text(
        "func.func @main(%x: tensor<8xi16>, %z: tensor<8xi16>) -> tensor<8xi16> {\n"
        "  %y = graph.max %x, %z : tensor<8xi16>\n"
        "  func.return %y : tensor<8xi16>\n}\n"
    )
    assert profiled().rows == ()
    assert "x.mlir:1:1: note: @serial can't measure graph.max: " in capsys.readouterr().err


def test_empty_call_is_subtracted(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(0, 10**12, 700))  # each reading of the clock is 700 ns after the previous one
    monkeypatch.setattr(profile_bench, "perf_counter_ns", lambda: next(ticks))
    profile = profiled()
    assert {time for row in profile.rows if row.kind == "measured" for time in row.times_ns} == {0.0}
    devices: Any = profile.header["devices"]
    assert devices["serial"]["empty_call_ns"] == 700


def test_disturbed_calls_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """If every second call is disturbed, only undisturbed calls are used; if all calls are disturbed, all are used."""
    looks = iter(range(10**9))
    monkeypatch.setattr(profile_bench, "switches_so_far", lambda: (next(looks) + 1) // 4)
    devices: Any = profiled().header["devices"]
    assert devices["serial"]["disturbed"] == devices["parallel"]["disturbed"] == 0
    monkeypatch.setattr(profile_bench, "switches_so_far", lambda: next(looks))
    profile = profiled()
    devices = profile.header["devices"]
    times = [len(row.times_ns) for row in profile.rows if row.device == "serial"]
    assert devices["serial"]["disturbed"] == sum(times) == 2 * 6


def test_noisy_rows_are_reported(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_session, "NOISY", -1.0)
    noisy: Any = profiled().header["noisy"]
    assert {row["device"] for row in noisy} == {"serial", "parallel"}
    assert f"{len(noisy)} noisy rows" in capsys.readouterr().err


def test_noise_depends_on_the_interquartile_range() -> None:
    row = ProfileRow(device="serial", key="k", times_ns=(90e3, 100e3, 100e3, 110e3, 900e3))
    assert not is_noisy(row, 0.0)
    row = ProfileRow(device="serial", key="k", times_ns=(50e3, 60e3, 100e3, 140e3, 150e3))
    assert is_noisy(row, 0.0)
    assert not is_noisy(row, 1e6)  # small compared with an empty call of 1 ms


def test_busy_computer_is_reported(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (1e4, 0.0, 0.0))
    profiled()
    assert "this computer is busy (10000.0 running programs on " in capsys.readouterr().err


def test_machine_without_measured_devices_is_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    profile = profiled("--machine", "toy")
    assert {row.kind for row in profile.rows} == {"simulated"}
    assert "no device of the machine has `measures onnxruntime` in its sheet" in capsys.readouterr().err


def array(*numbers: float, dtype: Any = np.float32) -> NDArray[Any]:
    return np.array(numbers, dtype)


@pytest.mark.parametrize(
    ("found", "expected", "off"),
    [
        (array(1, 2), array(1, 2), 0.0),
        (array(1, 2.5), array(1, 2), 0.25),
        (array(np.nan, 1), array(np.nan, 1), 0.0),
        (array(np.inf, 1), array(np.nan, 1), np.inf),
        (array(np.inf, 1), array(3, 1), np.inf),
        (array(3, 1, dtype=np.int64), array(3, 2, dtype=np.int64), np.inf),
        (array(), array(), 0.0),
    ],
)
def test_differences_are_relative_to_the_largest_number(
    found: NDArray[Any], expected: NDArray[Any], off: float
) -> None:
    assert difference(found, expected) == off


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "ndp-profile: error: no model or program is given"),
        (["x.mlir", "--plan", "p", "--together"], 2, "--together and --plan both determine the runs"),
        (["x.mlir", "--repeats", "0"], 2, "expected a whole number of at least 1, but met `0`"),
        (["x.mlir", "--dim", "b=1"], 2, "PyTorch (.pt2) and to configs (.json), but x.mlir is text"),
        (["x.mlir", "--repeat", "3"], 2, "unknown flag --repeat; did you mean --repeats?"),
        (["x.mlir", "-p", "fuze"], 2, "fuze"),
        (["x.mlir", "--set", "pim"], 2, "`pim` is not NAME.FIELD=VALUE"),
        (["none.mlir"], 1, "none.mlir: error: can't be read: there is no such file"),
        (["none.onnx"], 1, "none.onnx: error: can't read the model: no such file"),
        (["bad.mlir"], 1, "bad.mlir:1:"),
        (["x.mlir", "--machine", "cpu_pim"], 1, "there is no machine or device `cpu_pim`; did you mean"),
        (["x.mlir", "-o", "no/p.json"], 1, "no/p.json: error: can't be written: there is no folder no"),
        (["x.mlir", "--plan", "none.json"], 1, "none.json: error: can't be read: there is no such file"),
        (["x.mlir", "-p", PLACE], 1, "@main is placed already; ndp-profile needs a function of graph ops"),
        (["x.mlir", "--sheets", "no"], 2, "--sheets no: there is no folder of data sheets at this path"),
    ],
)  # fmt: skip
def test_command_line_errors(
    words: Sequence[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.mlir").write_text("func.func @main( {")
    assert main(words) == status
    assert message in capsys.readouterr().err


def lacking(name: str) -> None:
    """A `find_spec` that finds no package."""


def test_missing_onnxruntime(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(profile_bench, "find_spec", lacking)
    assert main(["x.mlir"]) == 1
    assert "with onnxruntime, which is not installed; run `pip install onnxruntime`" in capsys.readouterr().err


def test_internal_error_writes_a_reproducer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(profile_session.Session, "carry_out", fails)
    assert main(["x.mlir"]) == 3
    assert "ndp-profile failed with an internal error while " in capsys.readouterr().err


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert main(["--version"]) == 0
    assert "ndp-profile model.onnx -o model.profile.json" in capsys.readouterr().out
