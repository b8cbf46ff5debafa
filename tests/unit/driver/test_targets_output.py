"""Output of targets: values, timelines, traces, drawings, summaries."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError
from interp import figures
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.simulate.simulation import simulate
from interp.walk.inputs import Array
from lowering.alone.baseline import read_baseline
from lowering.alone.primary_alone import note_baselines
from lowering.place.place import place_function
from ndpir.reports.answers.graphs.graph import graph_answer
from ndpir.reports.dot import drawing_of
from ndpir.reports.perfetto import trace_of
from ndpir.reports.placement_graph import svg_of
from ndpir.reports.run import Run
from ndpir.reports.summary import summary_answer, summary_text
from ndpir.reports.timeline import rows_table, timeline_answer, totals_text
from ndpir.reports.values import ValuesTarget, all_elements, described, leading_elements, result_values
from tests.laws.placement.deciding import LEAST
from tests.programs import context, parse
from tests.table_clock import TableClock, machine

LIT = Path(__file__).parents[2] / "lit"
PROGRAM = """
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
  %a = graph.matmul %x, %w : tensor<1x4xf32>, tensor<4x4xf32>
  %b = graph.relu %a : tensor<1x4xf32>
  func.return %b : tensor<1x4xf32>
}
"""
CLOCK = TableClock(machine("gpu", "pim"), {"matmul": {"gpu": 1000, "pim": 100}, "relu": {"gpu": 10}})


def placed(policy: str = "optimal") -> tuple[ModuleOp, FuncOp]:
    module = parse(PROGRAM)
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    note_baselines(module, CLOCK)
    place_function(function, CLOCK, policy, options=LEAST)
    return module, function


# Figures.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (figures.time(0), "0 ns"),
        (figures.time(26), "26 ns"),
        (figures.time(1234.5), "1.2345 us"),
        (figures.time(2_500_000), "2.5 ms"),
        (figures.size(16), "16 B"),
        (figures.size(1536), "1.536 kB"),
        (figures.energy(0.03), "30 pJ"),
        (figures.energy(1.5), "1.5 nJ"),
        (figures.energy(2025), "2.025 uJ"),
        (figures.percent(0.5), "50.0 %"),
        (figures.count(1, "copy"), "1 copy"),
        (figures.count(2, "copy"), "2 copies"),
    ],
)
def test_figures(text: str, expected: str) -> None:
    assert text == expected


# Values.


def described_array(array: Array) -> str:
    return described(result_values(array, 8))


def test_an_array_is_described_by_its_statistics() -> None:
    assert described_array(np.array([1, 2, 3], np.int64)) == "tensor<3xi64>, mean 2, std 0.8165, min 1, max 3"
    assert described_array(np.array([True, False, True])) == "tensor<3xi1>, 2 true, 1 false"
    assert described_array(np.zeros((0, 2), np.float32)) == "tensor<0x2xf32>, empty"
    assert (
        described_array(np.array([1, np.nan, np.inf], np.float32))
        == "tensor<3xf32>, mean 1, std 0, min 1, max 1, 2 not finite"
    )
    assert described_array(np.full(2, np.nan, np.float16)) == "tensor<2xf16>, 2 not finite"


def test_leading_elements_and_all_elements() -> None:
    def all_of(array: Array) -> str:
        return all_elements(result_values(array, None))

    array = np.arange(10, dtype=np.float32).reshape(2, 5) / 3
    assert leading_elements(result_values(array, 3)) == "  0 0.33333 0.66667 ...\n"
    assert leading_elements(result_values(np.array([-0.0, True]), 8)) == "  0 1\n"
    assert all_of(np.array([[1, 2], [3, 4]])) == "  [[1 2]\n   [3 4]]\n"
    assert all_of(np.array([True, False])) == "  [true false]\n"
    assert all_of(np.arange(2000)).count("\n") > 10


def values_of(**options: Any) -> str:
    output = io.StringIO()
    ValuesTarget(**options).emit(context(), parse(PROGRAM), output)
    return output.getvalue()


def test_values_differ_by_seed() -> None:
    assert values_of(seed=1) == values_of(seed=1) != values_of(seed=2)
    assert values_of(full=True).startswith("result 0: tensor<1x4xf32>, mean ")


def test_inputs_from_a_file_by_argument_name(tmp_path: Path) -> None:
    path = tmp_path / "inputs.npz"
    np.savez(path, x=np.zeros((1, 4), np.float32))
    assert values_of(inputs=(str(path),)) == "result 0: tensor<1x4xf32>, mean 0, std 0, min 0, max 0\n  0 0 0 0\n"
    np.savez(path, z=np.zeros((1, 4), np.float32))
    with pytest.raises(InputError, match=r"`z` names no argument of @\w+, and `x` has no array; rename it, or"):
        values_of(inputs=(str(path),))
    with pytest.raises(InputError, match=r"can't be read: there is no such file"):
        values_of(inputs=(str(tmp_path / "missing.npz"),))
    path.write_text("no archive")
    with pytest.raises(InputError, match=r"can't be read as an .npz file"):
        values_of(inputs=(str(path),))


# Timelines.


def test_timeline_with_sort_and_limit() -> None:
    answer = timeline_answer(Run(placed()[0], clock=CLOCK), "time")
    lines = rows_table(answer.rows, limit=1).splitlines()
    assert lines[0].split() == ["start", "end", "time", "on", "task", "bound", "bytes", "energy", "source"]
    assert lines[1].split() == [
        "26",
        "ns",
        "126",
        "ns",
        "100",
        "ns",
        "pim",
        "matmul",
        "table",
        "96",
        "B",
        "100",
        "nJ",
        "test.mlir:4:8",
    ]
    assert lines[2:] == ["... 3 more (timeline{limit=0} shows all)"]


def test_totals_contain_bound_and_gap() -> None:
    # The copy to the PIM takes 26 ns, the matmul 100 ns, the copy back 26 ns, the relu 10 ns.
    text = totals_text(timeline_answer(Run(placed()[0], clock=CLOCK)))
    assert text.startswith(
        "makespan  162 ns\n"
        "bound     162 ns, on any schedule of these tasks and copies (longest chain)\n"
        "gap       0.0 %\n"
    )


# Perfetto.


def test_a_trace_has_tracks_slices_and_arrows() -> None:
    trace = trace_of(simulate(placed()[0], CLOCK), CLOCK)
    events: list[dict[str, Any]] = trace["traceEvents"]
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert list(names.values()) == ["@gpu (sheet of gpu)", "@pim (sheet of pim)", "gpu->pim", "pim->gpu"]
    slices = {names[event["pid"], event["tid"]]: event for event in events if event["ph"] == "X"}
    assert {name: event["name"] for name, event in slices.items()} == {
        "gpu->pim": "copy %x",
        "@pim (sheet of pim)": "matmul",
        "pim->gpu": "copy %a",
        "@gpu (sheet of gpu)": "relu",
    }
    matmul = slices["@pim (sheet of pim)"]
    assert (matmul["ts"], matmul["dur"], matmul["args"]["source"]) == (0.026, 0.1, "test.mlir:4:8")
    arrows = [event for event in events if event["ph"] in "sf"]
    assert [event["ph"] for event in arrows] == ["s", "f"] * 3
    for event in arrows:  # each end is inside of a slice of its track
        inside = slices[names[event["pid"], event["tid"]]]
        assert inside["ts"] <= event["ts"] < inside["ts"] + inside["dur"]


def test_arrow_of_a_stream_starts_while_its_maker_runs() -> None:
    module = parse((LIT / "interp/timeline/streams.mlir").read_text())
    clock = Clock(Machine.of(module))
    events: list[dict[str, Any]] = trace_of(simulate(module, clock), clock)["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    leaves, arrives = ([event for event in events if event["ph"] == phase] for phase in "sf")
    assert len(leaves) == 4
    for one, other in zip(leaves, arrives, strict=True):
        assert one["ts"] <= other["ts"]
        mine = (each for each in slices if (each["pid"], each["tid"]) == (one["pid"], one["tid"]))
        assert any(each["ts"] <= one["ts"] < each["ts"] + each["dur"] for each in mine)


# Drawings.


def test_a_drawing_colours_tasks_and_marks_copies() -> None:
    text = drawing_of(graph_answer(Run(placed()[0])))
    assert 'label="matmul\\n@pim\\n1x4xf32" fillcolor="#d9ead3"' in text
    assert text.count('label="copy 16 B" style=dashed') == 2
    assert 'label="@pim" fillcolor="#d9ead3"' in text


def test_a_drawing_of_a_graph_without_machine_has_no_devices_and_no_times() -> None:
    text = drawing_of(graph_answer(Run(parse(PROGRAM))))
    assert "device" not in text
    assert "cluster" not in text
    assert text.count("->") == 3
    assert " us" not in text


def test_picture_without_graphviz_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"this picture needs Graphviz's program `dot`, .*apt install graphviz"):
        svg_of(DRAWING, "-t dot")


DRAWING = "digraph {\n" + "\n".join(f"\tn{number} [label=x]" for number in range(4)) + "\n}\n"
ENDLESS = """\
#!/bin/sh
echo $$ > {pids}
sleep 600 &
echo $! >> {pids}
wait
"""


@pytest.mark.slow
def test_slow_graphviz_is_killed_with_its_subprocesses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program, pids = tmp_path / "dot", tmp_path / "pids"
    program.write_text(ENDLESS.format(pids=pids))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("ndpir.reports.placement_graph.LIMIT_S", 1.0)
    message = r"did not finish the layout of this drawing's 4 boxes within 1 s; .*--effort 10.*-t dot"
    with pytest.raises(InputError, match=message):
        svg_of(DRAWING, "-t dot")
    for pid in pids.read_text().split():
        assert ends(int(pid))


def ends(pid: int) -> bool:
    """True as soon as a process has ended; False if it still runs after a minute (signals take effect with delay)."""
    for _ in range(600):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False


# Summaries.


def summary_of(module: ModuleOp, clock: Clock) -> str:
    return summary_text(summary_answer(Run(module, clock=clock), depends=False))


def test_summary_compares_with_the_primary_device_alone() -> None:
    module, _ = placed()
    text = summary_of(module, CLOCK)
    assert "speed-up   6.23x over @gpu alone at its best (1.01 us)" in text
    assert "tasks      2, and 2 copies over links, 32 B in total" in text
    # Ops take 110 nJ, copies 32 pJ, and two devices idle at 1 W for 162 ns; the baseline takes 1010 + 2 * 1010 nJ.
    assert "rel energy 0.14x of @gpu alone at its best (3.03 uJ)" in text


def test_summary_ignores_a_baseline_for_another_machine() -> None:
    module, function = placed()
    slower = TableClock(machine("gpu", "pim", duplex=False), {"matmul": {"gpu": 2000, "pim": 100}, "relu": {"gpu": 10}})
    assert read_baseline(function, CLOCK) is not None
    assert read_baseline(function, slower) is None
    text = summary_of(module, slower)
    assert "speed-up   12.41x over @gpu, its tasks run serially (2.01 us)" in text


def test_summary_without_a_baseline() -> None:
    module, function = placed()
    lacking = TableClock(machine("gpu", "pim"), {"matmul": {"pim": 100}, "relu": {"gpu": 10}})
    del function.attributes["task.baseline"]
    text = summary_of(module, lacking)
    assert "speed-up   unknown: the program has no recorded time with everything on @gpu" in text


def test_unplaced_program_is_its_own_baseline() -> None:
    module = parse(PROGRAM)
    run = Run(module, clock=CLOCK)
    run.function = next(op for op in module.ops if isinstance(op, FuncOp))
    assert "speed-up   1.00x" in summary_text(summary_answer(run, depends=False))
