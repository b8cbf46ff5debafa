"""Tests of memory traces of programs: kernels, tensors shared by several values, loops, other devices, and whole
models."""

from __future__ import annotations

import cProfile
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
from interp.simulate.program_trace import ProgramTrace, trace_of
from interp.simulate.simulation import simulate
from lowering.banks.templates import clock_for
from tests.programs import parse
from tests.table_clock import TableClock, machine

MODELS = Path(__file__).parents[3] / "examples/models"
LIKE_OTHERS = ("bert_large", "gpt2")
"""Steps that differ from bert_base in size only."""
SMALL = [
    *(path for path in sorted(MODELS.glob("steps/*.mlir")) if path.stem not in LIKE_OTHERS),
    *(MODELS / f"{name}_step.mlir" for name in ("mlp", "scan", "bert")),
    *(MODELS / f"{name}.onnx" for name in ("mobilenet_v2", "gpt2_decode_kv255", "bert_2layer_opset23", "resnet50_bn")),
]
CLOCK = TableClock(
    machine("gpu", "pim"), {"add": {"gpu": 10, "pim": 100}, "relu": {"gpu": 10, "pim": 5}, "repeat": {"gpu": 10}}
)


def rows(found: ProgramTrace) -> list[tuple[str, float, list[str], list[str], int]]:
    """For each kernel its name, time in ns, names of tensors that it reads, names of those it writes, and workspace in
    bytes."""
    names = [tensor.name for tensor in found.trace.tensors]
    return [
        (each.name, each.ns, [names[at] for at in each.reads], [names[at] for at in each.writes], each.workspace)
        for each in found.trace.kernels
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_the_trace_s_peak_memory_and_time_equal_the_timeline_s(path: Path) -> None:
    module = ndpir.compile(ndpir.read(path), "", machine="a100")
    clock = clock_for(module)
    timeline, found = simulate(module, clock), trace_of(module, clock)
    assert found.plan is not None
    assert found.trace.peak_live == found.plan.timeline().memory["gpu"].total
    if (
        path.stem == "scan_step"
    ):  # slices of a stack live shorter than the stack, as which a loop counts in the timeline
        assert found.trace.peak_live < timeline.memory["gpu"].total
    else:
        assert found.trace.peak_live == timeline.memory["gpu"].total
    assert found.trace.ideal_ns == pytest.approx(timeline.makespan_ns, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["scan_step.mlir", "mobilenet_v2.onnx", "steps/lstm.mlir"])
def test_with_a_pim_the_trace_s_peak_is_at_most_6_percent_above_the_timeline_s(model: str) -> None:
    module = ndpir.compile(ndpir.read(MODELS / model), "offload", machine="a100-aim")
    clock = clock_for(module)
    timeline, found = simulate(module, clock), trace_of(module, clock)
    assert found.plan is not None
    need = found.plan.timeline().memory["gpu"].total  # in a loop, slices live shorter than their stack
    assert (
        need <= found.trace.peak_live <= 1.06 * need
    )  # the trace holds values of a parallel copy for the kernel's whole duration
    assert found.trace.ideal_ns == pytest.approx(timeline.makespan_ns, rel=1e-9)
    assert all(op is None or op.parent is not None for op in found.ops)


def test_views_share_tensors_and_unread_results_are_workspace() -> None:
    found = trace_of(
        parse(
            """
            func.func @main(%x: tensor<4xf32>, %k: tensor<4xf32> {task.state = "read"}) -> tensor<2x2xf32> {
              %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4xf32>
              %a = graph.add %x, %w : tensor<4xf32>
              %v = graph.reshape %a : tensor<4xf32> -> tensor<2x2xf32>
              %unread = graph.relu %a : tensor<4xf32>
              %b = graph.relu %v : tensor<2x2xf32>
              func.return %b : tensor<2x2xf32>
            }
            """
        ),
        CLOCK,
    )
    assert rows(found) == [
        ("hand over %x", 0.0, [], ["%x"], 0),
        ("add", 10.0, ["w", "%x"], ["%a"], 0),
        ("relu", 10.0, ["%a"], [], 16),
        ("relu", 10.0, ["%a"], ["%b"], 0),
        ("take away %b", 0.0, ["%b"], [], 0),
    ]
    assert [(each.name, each.persistent) for each in found.trace.tensors] == [
        ("w", True),
        ("%x", False),
        ("%a", False),
        ("%b", False),
        ("%k", True),
    ]
    assert [op and op.name for op in found.ops] == [None, "graph.add", "graph.relu", "graph.relu", None]


def test_a_donated_argument_and_its_result_persist_as_one_tensor() -> None:
    def step(order: str) -> ModuleOp:
        return parse(
            f"""
            func.func @main(%w: tensor<4xf32> {{task.state = "overwritten, result 0"}})
              -> (tensor<4xf32>, tensor<4xf32>) {{
              {order}
              func.return %new, %other : tensor<4xf32>, tensor<4xf32>
            }}
            """
        )

    new, other = "%new = graph.relu %w : tensor<4xf32>", "%other = graph.add %w, %w : tensor<4xf32>"
    assert rows(trace_of(step(f"{other}\n{new}"), CLOCK))[:2] == [
        ("add", 10.0, ["%w"], ["%other"], 0),
        ("relu", 10.0, ["%w"], ["%w"], 0),
    ]
    # While the argument is still needed, the result is in a separate tensor; later it is written to the argument's
    # tensor.
    assert rows(trace_of(step(f"{new}\n{other}"), CLOCK))[:2] == [
        ("relu", 10.0, ["%w"], ["%new"], 0),
        ("add", 10.0, ["%w", "%new"], ["%other", "%w"], 0),
    ]


def test_a_copy_holds_its_source_and_the_device_waits_for_other_devices() -> None:
    module = parse(
        """
        func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>> {
          %xp = task.copy %x to @pim
          %a = task.run @gpu (%p = %x) {
            %0 = graph.relu %p : tensor<4xf32>
            task.yield %0
          }
          %b = task.run @pim (%p = %xp) {
            %0 = graph.relu %p : tensor<4xf32>
            task.yield %0
          }
          %bg = task.copy %b to @gpu
          %c = task.run @gpu (%p = %a, %q = %bg) {
            %0 = graph.add %p, %q : tensor<4xf32>
            task.yield %0
          }
          func.return %c : !task.on<@gpu, tensor<4xf32>>
        }
        """
    )
    # A copy of 16 bytes takes 26 ns: 10 ns in parallel to a kernel, then 16 ns of waiting. Both hold the copied value.
    assert rows(trace_of(module, CLOCK)) == [
        ("hand over %x", 0.0, [], ["%x"], 0),
        ("relu", 10.0, ["%x"], ["%a"], 0),
        ("wait", 16.0, ["%x"], [], 0),
        ("wait", 5.0, [], [], 0),
        ("wait", 26.0, [], ["%bg"], 0),
        ("add", 10.0, ["%a", "%bg"], ["%c"], 0),
        ("take away %c", 0.0, ["%c"], [], 0),
    ]


def test_each_iteration_of_a_loop_has_kernels_of_its_own_which_use_slices() -> None:
    module = ndpir.compile(ndpir.read(MODELS / "scan_step.mlir"), "inline,canonicalize,fuse,layout", machine="a100")
    found = trace_of(module, clock_for(module))
    products = [rows for rows in rows_of_weights(found) if rows]
    forward, backward = products[:24], products[24:48]
    assert forward == [[f"%arg0[{layer}]"] for layer in range(24)]
    assert backward == [[f"%arg0[{layer}]"] for layer in reversed(range(24))]


def rows_of_weights(found: ProgramTrace) -> list[list[str]]:
    """The slices of the weights that each matrix product reads."""
    trace = found.trace
    return [
        [name for at in kernel.reads if (name := trace.tensors[at].name).startswith("%arg0[")]
        for kernel in trace.kernels
        if "matmul" in kernel.name
    ]


def test_a_program_larger_than_memory_has_a_trace() -> None:
    module = ndpir.compile(
        ndpir.read(MODELS / "llama2_7b_decode_kv511_f16.onnx"), "canonicalize,fuse", machine="toy_gpu"
    )
    found = trace_of(module, clock_for(module))
    assert found.trace.persistent_bytes > 13e9
    assert found.trace.largest_working_set < 300e6


def test_the_number_of_calls_to_trace_a_program_does_not_grow_quadratically() -> None:
    def text(layers: int) -> str:
        lines = [
            f'%w{at} = graph.weight "w{at}" = uniform(0.0, 1.0, 1) : tensor<4xf32>\n'
            f"%a{at} = graph.add %x{at}, %w{at} : tensor<4xf32>\n%b{at} = graph.relu %a{at} : tensor<4xf32>\n"
            f"%x{at + 1} = graph.add %b{at}, %a{at} : tensor<4xf32>"
            for at in range(layers)
        ]
        end = f"func.return %x{layers} : tensor<4xf32>\n}}"
        return "\n".join(["func.func @main(%x0: tensor<4xf32>) -> tensor<4xf32> {", *lines, end])

    calls: list[int] = []
    for layers in (50, 400):
        module = parse(text(layers))
        trace_of(module, CLOCK)
        profile = cProfile.Profile()
        profile.runcall(trace_of, module, CLOCK)
        calls.append(sum(entry.callcount for entry in profile.getstats()))
    assert calls[1] <= 10 * calls[0]  # linear growth is 8, quadratic growth 64


def test_an_argument_that_nothing_reads_is_gone_when_the_first_kernel_starts() -> None:
    module = parse("""
hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<64xf32>, %unread: tensor<256xf32>) -> tensor<64xf32> {
  %y = graph.relu %x : tensor<64xf32>
  func.return %y : tensor<64xf32>
}""")
    clock = clock_for(module)
    trace = trace_of(module, clock).trace
    needed = {kernel.name: int(need) for kernel, need in zip(trace.kernels, trace.working_sets, strict=True)}
    assert needed == {"hand over %x": 256, "begin": 1024, "relu": 512, "take away %y": 256}
    assert trace.peak_live == simulate(module, clock).memory["gpu"].live == 256 + 1024
