"""Tests of syntax errors: each message has the expected token, the token found, its location, the op, and an example of
the op."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path

import pytest
from xdsl.ir import Operation

import ndpir
from dialects.diagnostics import InputError
from dialects.graph import Graph
from dialects.hw import Hw
from dialects.pim import Pim
from dialects.task import Task
from dialects.text.syntax_errors import example_of, place_of_nesting
from interp.machine.composition import machine_ops
from interp.machine.profile_file import read_profile
from ndpir.cli.calibrate import main as calibrate
from ndpir.cli.opt import main
from ndpir.cli.profile import main as profile
from ndpir.diagnostics.printed import diagnostics_of


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        ndpir.parse(text, "x.mlir")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "place", "expectation", "token", "example"),
    [
        (
            "func.func @f(%y: tensor<2xf32>) {\n  return %y\n}",
            "2:12",
            "`:` is expected here in func.return",
            "the line ends",
            "`func.return %y : tensor<4xf32>`",
        ),
        (
            "func.func @f(%x: tensor<2xf32>) {\n  %y = task.copy %x // there\n\n  return\n}",
            "2:20",
            "`to` is expected here in task.copy",
            "the line ends",
            "`%wn = task.copy %wg to @ndp`",
        ),
        (
            'hw.device @a "toy"',
            "1:14",
            "`=` is expected here in hw.device",
            '`"toy"` is met',
            '`hw.device @gpu = "a100"`',
        ),
        ("hw.link @a to @b", "1:17", "`=` is expected here in hw.link", "the text ends", "`hw.link @gpu to @pim = "),
        ("%0 = graph.relu %x : tensor<2>", "1:30", "an x between extents", "`>` is met", "`%y = graph.relu %x : "),
        (
            "%0 = graph.weight w = 1",
            "1:19",
            'a text in quotes ("…") naming the weight',
            "`w` is met",
            "= graph.weight",
        ),
        ("func.func f() {}", "1:11", "a name (@main) is expected here in func.func", "`f` is met", "`func.func @f("),
        (
            '"test.op"(2) : () -> ()',
            "1:11",
            "a value (%x) is expected here in test.op",
            "`2` is met",
            '`"test.op"(%x) : (',
        ),
        ('"test.op"()', "1:12", "`:` and the op's type", "the text ends", '`"test.op"(%x) : ('),
        ("%0 graph.relu", "1:4", "`=` is expected here", "`graph.relu` is met", "write it before that"),
    ],
)
def test_a_syntax_error_names_place_expectation_and_token(
    text: str, place: str, expectation: str, token: str, example: str
) -> None:
    message = refusal(text)
    assert message.startswith(f"x.mlir:{place}: {expectation}")
    assert f", but {token}; " in message
    assert example in message.partition(f", but {token}; ")[2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#a = 1\n#a = 2", "x.mlir:2:4: the alias #a is defined twice; keep one of the two"),
        ('"test.op"() {x = #b} : () -> ()', "x.mlir:1:20: the alias #b is defined nowhere; define it above (#b = …)"),
        (
            "%0 = graph.constant 1.0 : tensor<2xf32>\n" * 2,
            "x.mlir:2:1: %0 is defined above already; give one of the two",
        ),
        ("\n \x01", "x.mlir:2:2: the character U+0001 means nothing here; delete it"),
        ("}", "x.mlir:1:1: an op is expected here, but `}` is met; delete it, since it closes no bracket"),
        ("func.func @f() {" * 2000, "x.mlir:1:2253: the program is nested too deeply here; flatten it"),
        ("#loc = loc(" + "fused[" * 2000, "x.mlir:1:1973: the program is nested too deeply here"),
    ],
)
def test_other_errors_state_a_remedy(text: str, message: str) -> None:
    found = refusal(text)
    if "nested" in message:  # the depth at which nesting fails depends on the interpreter
        assert re.fullmatch(re.sub(r"1:\d+", r"1:\\d+", re.escape(message)) + ".*", found)
    else:
        assert found.startswith(message)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("graph.ReLU", "did you mean `graph.relu`?"),
        ("graph.Gemm", "did you mean `graph.matmul`?"),
        ("graph.Conv2D", "did you mean `graph.conv`?"),
        ("graph.dot_general", "did you mean `graph.matmul`?"),
        ("graph.add_relu", "did you mean `graph.add`, then `graph.relu`?"),
        ("graph.ReduceMean", "did you mean `graph.reduce mean`?"),
        ("graph.softmx", "did you mean `graph.softmax`?"),
        ("Conv", "did you mean `graph.conv`?"),
        ("onnx.Gemm", "there is no dialect `onnx`, did you mean `graph.matmul`?"),
        ("torch.aten.mm.default", "there is no dialect `torch`, did you mean `graph.matmul`?"),
        ("gaph.relu", "there is no dialect `gaph`, did you mean `graph.relu`?"),
        ("pim.RD_MAC", "did you mean `pim.drain`?"),
        ("pim.matmul", "did you mean `graph.matmul`?"),
        ("task.wait", "did you mean `task.join`?"),
        ("arith.adf", "did you mean `arith.addf`?"),
        ("graph.zzz", "`graph` has no such op; ndp-opt --list-ops lists all ops"),
    ],
)
def test_an_unknown_op_gets_a_suggestion_by_its_meaning(written: str, message: str) -> None:
    assert refusal(written) == f"x.mlir:1:1: unknown op `{written}`; {message}"


def test_errors_in_every_op_show_an_example_of_it() -> None:
    assert [op.name for each in (Graph, Task, Pim, Hw) for op in each.operations if example_of(op) is None] == []


def test_a_wrong_program_is_refused_before_its_machine_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.mlir"
    path.write_text('"hw.device"() <{sheet = "toy_gpu", changes = {}}> : () -> ()')
    assert main([str(path), "--machine", "toy"]) == 1


@pytest.mark.parametrize("text", ["timeline {entry=main}", "timeline{entry = main}", " timeline "])
def test_targets_may_be_written_with_spaces(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out = StringIO()
    monkeypatch.setattr("sys.stdout", out)
    assert main([str(Path(__file__).parents[2] / "fuzz/inputs/tasks.mlir"), "-t", text]) == 0
    assert "copy %x" in out.getvalue()


def test_a_bracket_in_options_is_not_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["x.mlir", "-t", "onnx[["]) == 2
    assert "-t:1:5: error: `[` is not expected here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph.yield", "graph.yield is allowed only in the body of a graph.fused or a graph.repeat"),
        ("func.func @f() {\n  func.return\n  func.return\n}", "func.return ends its body; delete the ops after it"),
        (
            'func.func @f() {\n  "test.op"() : () -> ()\n}',
            "a body ends in a terminator (func.return, task.yield, …), not in",
        ),
    ],
)
def test_verifier_errors_state_a_remedy(text: str, message: str) -> None:
    assert message in refusal(text)


def test_a_flag_without_its_value_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["x.mlir", "--machine"]) == 2
    assert "--machine needs a value, but none follows it; write a value that begins with -" in capsys.readouterr().err


def test_too_deep_nesting_is_reported_with_its_place(tmp_path: Path) -> None:
    assert place_of_nesting('{"[[[[": [1,\n [2, [3]], "->"]}', "x") == "x:2:6"
    assert place_of_nesting("", "x") == "x:1:1"
    machine = tmp_path / "deep.mlir"
    machine.write_text('hw.device @a = "toy_gpu" {\n  x = ' + "[" * 5000)
    with pytest.raises(InputError) as caught:
        machine_ops(str(machine))
    assert caught.value.place == f"{machine}:2:5006"
    profile = tmp_path / "deep.json"
    profile.write_text('{"rows":\n' + "[" * 100_000)
    with pytest.raises(InputError) as caught:
        read_profile(str(profile))
    assert caught.value.place == f"{profile}:2:100000"


@pytest.mark.parametrize(
    ("error", "message"), [(MemoryError("1 TiB"), "more memory"), (RecursionError(), "nested too deeply")]
)
def test_an_error_without_place_gets_that_of_the_current_op(error: Exception, message: str) -> None:
    def work(op: Operation, depth: int) -> None:
        if depth == 0:
            raise error
        work(op, depth - 1)

    module = ndpir.parse("\n%0 = graph.constant 1.0 : tensor<2xf32>", "x.mlir")
    with pytest.raises(type(error)) as raised:
        work(next(iter(module.ops)), 3)
    reports = diagnostics_of(raised.value)
    assert reports is not None
    assert reports[0].place == "x.mlir:2:6"
    assert message in reports[0].message


@pytest.mark.parametrize("tool", [main, calibrate, profile])
def test_all_tools_suggest_a_flag_for_a_misspelt_one(
    tool: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool(["x", "--shets", "."]) == 2
    assert "error: unknown flag --shets; did you mean --sheets?" in capsys.readouterr().err
    assert tool(["x", "y"]) == 2
    assert "but only one is accepted" in capsys.readouterr().err


def test_a_wrong_value_of_a_flag_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["x.mlir", "-f", "ONNX"]) == 2
    kinds = "config, mlir, onnx, pt2, stablehlo, trace"
    assert f"-f must be one of {kinds}, but is `ONNX`; did you mean `onnx`?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "func.func @f(%x: !task.on<gpu>)",
            "a name (@gpu) is expected here in !task.on, but `gpu` is met; write it as in",
        ),
        (
            "func.func @f(%x: !task.on<@gpu>)",
            "`,` is expected here in !task.on, but `>` is met; write it as in `!task.on<",
        ),
        (
            "#m = #task.memory<plan>",
            '"…") is expected here in #task.memory, but `plan` is met; write it as in `#task.memory<"',
        ),
        (
            "#m = #task.plan<plan>",
            '"…") is expected here in #task.plan, but `plan` is met; write it as in `#task.plan<"cost',
        ),
        (
            'graph.weight "w" : tensor<4xf32>',
            "the source of the weight's numbers is missing; write for instance = uniform(",
        ),
        (
            'graph.weight "w" = normal(1) : tensor<4xf32>',
            "not `normal`; write for instance = uniform(-0.1, 0.1, 1), random",
        ),
        ('graph.weight "w" = uniform(1.0) : tensor<4xf32>', "`)` is met; write it as in `%w = graph.weight"),
        ('graph.weight "w" = file("x") : tensor<4xf32>', "`)` is met; write it as in `%v = graph.weight"),
    ],
)
def test_the_way_out_is_of_the_type_or_the_words_that_were_met(line: str, expected: str) -> None:
    assert expected in refusal(line)
