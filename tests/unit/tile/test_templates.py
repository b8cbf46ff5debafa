"""Templates: kernels of graph ops compute the ops' values, for shapes that tiles do not divide."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dialects import graph as g
from dialects.element_types import dtype_of
from dialects.tile import BlocksOp, BufferOp, CopyOp, KernelOp, ViewOp, scope_of
from dialects.tile.widths import width_of
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.numerics import evaluate
from interp.tile.accesses import check_accesses
from interp.tile.traffic import iterations_of
from interp.tile.values import run_kernel
from interp.tile.walk import execution_counts
from lowering.tile.epilogue import Unfit
from lowering.tile.schedule import Convolution, Problem, Schedule
from lowering.tile.search.trials import simulated_ns
from lowering.tile.templates import inputs_of, kernel_of, kernel_of_op, pipelined
from ndpir import parse
from tests.amount import cases

SCHEDULES = st.builds(
    Schedule,
    st.tuples(st.sampled_from([16, 32, 48]), st.sampled_from([16, 32]), st.sampled_from([16, 32])),
    st.sampled_from([(1, 1), (2, 1), (1, 2)]),
    stages=st.integers(1, 3),
    register_stages=st.integers(1, 2),
    asynchronous=st.booleans(),
    pad=st.sampled_from([0, 8]),
    order=st.integers(1, 3),
    split=st.integers(1, 3),
    peeled=st.booleans(),
    stream=st.sampled_from([0, 0, 0, 1, 5, 9]),
)
SMALL = st.integers(1, 40)
A100 = Multiprocessor.of(load_device("a100", {}, None), ModuleOp([]))


def op_of(text: str) -> Operation:
    """The op of a function with the given text, whose arguments are the op's operands."""
    return next(op for op in parse(text).walk() if isinstance(op, g.MatmulOp | g.ConvOp | g.FusedOp | g.AttentionOp))


def draws(op: Operation) -> list[NDArray[np.generic]]:
    numbers = np.random.default_rng(0)
    types = [(type_.get_shape(), dtype_of(type_.element_type)) for type_ in map(g.tensor_of, op.operands)]
    return [
        numbers.random(shape) < 0.7 if dtype == np.bool_ else numbers.standard_normal(shape).astype(dtype)
        for shape, dtype in types
    ]


def check(op: Operation, schedule: Schedule, error: float = 2e-3) -> None:
    """Assert that a kernel computes the op's values, up to the error caused by another order of sums."""
    kernel = kernel_of_op(op, schedule)
    kernel.verify()
    kernel = pipelined(kernel, schedule)
    kernel.verify()
    check_accesses(kernel)
    arrays = draws(op)
    by_value = dict(zip(op.operands, arrays, strict=True))
    found = run_kernel(kernel, [by_value[value] for value in inputs_of(op)])
    for mine, expected in zip(found, evaluate(op, arrays), strict=True):
        np.testing.assert_allclose(mine.astype(np.float64), expected.astype(np.float64), rtol=error, atol=error)


def shaped(*extents: int) -> str:
    return "x".join(map(str, extents))


@settings(max_examples=cases(75), deadline=None)
@given(st.data(), SCHEDULES, st.sampled_from(["", "transpose_a", "transpose_b", "transpose_a, transpose_b"]))
def test_products_of_any_shape_and_batch(data: st.DataObject, schedule: Schedule, turned: str) -> None:
    m, n, k = (data.draw(SMALL) for _ in range(3))
    batch_a, batch_b = data.draw(
        st.sampled_from(
            [((), ()), ((3,), ()), ((2, 3), ()), ((3,), (3,)), ((2, 1), (1, 3)), ((), (2,)), ((1,), (2, 2))]
        )
    )
    a = (*batch_a, k, m) if "transpose_a" in turned else (*batch_a, m, k)
    b = (*batch_b, n, k) if "transpose_b" in turned else (*batch_b, k, n)
    types = f"tensor<{shaped(*a)}xf16>, tensor<{shaped(*b)}xf16>"
    signature = f"%a: tensor<{shaped(*a)}xf16>, %b: tensor<{shaped(*b)}xf16>"
    check(op_of(f"func.func @f({signature}) {{ %y = graph.matmul %a, %b {turned} : {types}\n func.return }}"), schedule)


@pytest.mark.slow
@settings(max_examples=cases(75), deadline=None)
@given(st.data(), SCHEDULES, st.integers(1, 3))
def test_convolutions_of_any_geometry(data: st.DataObject, schedule: Schedule, rank: int) -> None:
    groups = data.draw(st.sampled_from([1, 1, 2, 3]))
    batch, each, filters = (
        data.draw(st.integers(1, 3)),
        data.draw(st.sampled_from([1, 5, 16, 32])),
        data.draw(st.integers(1, 9)),
    )
    kernel = [data.draw(st.integers(1, 3)) for _ in range(rank)]
    dilations = [data.draw(st.integers(1, 2)) for _ in range(rank)]
    strides = [data.draw(st.integers(1, 2)) for _ in range(rank)]
    pads = [data.draw(st.integers(0, 2)) for _ in range(2 * rank)]
    image = [data.draw(st.integers(5, 8 if rank < 3 else 6)) for _ in range(rank)]
    x, w, b = (batch, each * groups, *image), (filters * groups, each, *kernel), (filters * groups,)
    types = ", ".join(f"tensor<{shaped(*shape)}xf16>" for shape in (x, w, b))
    signature = ", ".join(
        f"%{name}: tensor<{shaped(*shape)}xf16>" for name, shape in zip("xwb", (x, w, b), strict=True)
    )
    said = f"groups = {groups}, strides = {strides}, pads = {pads}, dilations = {dilations}"
    op = op_of(f"func.func @f({signature}) {{ %y = graph.conv %x, %w, %b {said} : {types}\n func.return }}")
    check(op, schedule, error=4e-3)


FUSED = """
func.func @f(%a: tensor<2x33x40xf16>, %b: tensor<40x50xf16>, %bias: tensor<50xf16>, %old: tensor<2x33x50xf16>,
             %rows: tensor<33x1xf16>) {
  %y, %z = graph.fused (%1 = %a, %2 = %b, %3 = %bias, %4 = %old, %5 = %rows) {
    %p = graph.matmul %1, %2, %3 : tensor<2x33x40xf16>, tensor<40x50xf16>, tensor<50xf16>
    %q = graph.gelu %p : tensor<2x33x50xf16>
    %half = graph.constant 0.5 : tensor<f16>
    %r = graph.mul %q, %half : tensor<2x33x50xf16>, tensor<f16>
    %s = graph.add %4, %r : tensor<2x33x50xf16>
    %t = graph.mul %s, %5 : tensor<2x33x50xf16>, tensor<33x1xf16>
    %u = graph.cast %t : tensor<2x33x50xf16> -> tensor<2x33x50xf32>
    graph.yield %u, %q
  }
  func.return
}
"""


@settings(max_examples=cases(50), deadline=None)
@given(SCHEDULES)
def test_epilogues_are_computed_on_sums(schedule: Schedule) -> None:
    check(op_of(FUSED), schedule)


def test_residuals_of_convolutions_are_read_at_the_pixels_addresses() -> None:
    op = op_of("""
      func.func @f(%x: tensor<2x16x7x6xf16>, %w: tensor<24x16x3x3xf16>, %s: tensor<24x1x1xf16>,
                   %old: tensor<2x24x7x6xf16>) {
        %y = graph.fused (%1 = %x, %2 = %w, %3 = %s, %4 = %old) {
          %p = graph.conv %1, %2 pads = [1, 1, 1, 1] : tensor<2x16x7x6xf16>, tensor<24x16x3x3xf16>
          %q = graph.mul %p, %3 : tensor<2x24x7x6xf16>, tensor<24x1x1xf16>
          %r = graph.add %q, %4 : tensor<2x24x7x6xf16>
          %t = graph.relu %r : tensor<2x24x7x6xf16>
          graph.yield %t
        }
        func.return
      }""")
    for split in (1, 3):
        check(op, Schedule((32, 32, 16), (2, 2), stages=3, split=split), error=4e-3)


def test_integers_are_exact_in_any_order_of_sums() -> None:
    """Sums of small integers are exact, so a split product equals the graph op's result exactly."""
    numbers = np.random.default_rng(0)
    a, b = (numbers.integers(-4, 5, shape).astype(np.float16) for shape in ((3, 70, 90), (3, 90, 50)))
    expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16)
    for split in (1, 2, 4):
        schedule = Schedule((32, 32, 16), (2, 2), split=split, order=2)
        np.testing.assert_array_equal(
            run_kernel(kernel_of(Problem(70, 50, 90, batch=3), schedule), [a, b])[0], expected
        )


@pytest.mark.slow
@settings(max_examples=cases(62), deadline=None)
@given(st.tuples(SMALL, SMALL, st.integers(1, 100), st.integers(1, 3)), st.integers(1, 12), st.integers(1, 3))
def test_thread_blocks_that_share_all_iterations_compute_the_product(
    shape: tuple[int, int, int, int], workers: int, stages: int
) -> None:
    """Stream-K divides all iterations evenly among thread blocks. In the test cases a block's range is shorter or
    longer than a tile, and ends at a tile's end or within a tile."""
    m, n, k, batch = shape
    problem = Problem(m, n, k, batch, epilogue=("relu",))
    numbers = np.random.default_rng(0)
    outer = (batch,) if batch > 1 else ()
    a, b = (numbers.integers(-4, 5, (*outer, *matrix)).astype(np.float16) for matrix in ((m, k), (k, n)))
    schedule = Schedule((16, 16, 16), (1, 1), stages=stages, stream=workers)
    kernel = kernel_of(problem, schedule)
    kernel = pipelined(kernel, schedule)
    kernel.verify()
    expected = np.maximum(a.astype(np.float64) @ b.astype(np.float64), 0).astype(np.float16)
    np.testing.assert_array_equal(run_kernel(kernel, [a, b])[0], expected)


def test_ranges_of_iterations_fill_a_gpu_that_tiles_do_not() -> None:
    problem, schedule = Problem(512, 768, 3072), Schedule((128, 128, 32), (2, 2), stages=3, swizzled=True)
    whole = simulated_ns(problem, schedule, A100)
    assert whole > 1.5 * simulated_ns(problem, replace(schedule, split=4), A100)
    assert whole > 1.5 * simulated_ns(problem, replace(schedule, stream=A100.count), A100)


def test_conditional_ops_of_blocks_are_counted_block_by_block() -> None:
    text = """
    tile.kernel @k on @gpu (%x: memref<4x8xf32>) -> (%y: memref<4x8xf32>) {
      tile.blocks %i = 0 to 4, %j = 0 to 1 warps 1, 1 {
        tile.for %t = 0 to 6 {
          tile.for %u = 0 to 5 {
            tile.when (%i * 2 + %t + 1) mod 4 {
              tile.copy %x[%i] to %y[%i]
            }
          }
        }
      }
    }"""
    grid = next(op for op in parse(text).walk() if isinstance(op, BlocksOp))
    copy = next(op for op in grid.walk() if isinstance(op, CopyOp))
    assert execution_counts(copy, grid).tolist() == [[5], [10], [5], [10]]
    assert iterations_of(copy, grid) == 7.5


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_problems_of_convolutions_have_channels_last(rank: int, across: bool) -> None:
    found = Convolution(
        2, (7, 6, 5)[:rank], 32, 20, (3, 2, 3)[:rank], (2, 1, 2)[:rank], ((1, 0), (1, 1), (0, 2))[:rank]
    )
    problem = Problem.of_convolution(found)
    problem = Problem(problem.m, problem.n, problem.k, convolution=found, across=across, epilogue=("bias", "relu"))
    numbers = np.random.default_rng(0)
    x = numbers.standard_normal((2, *found.spatial, 32)).astype(np.float16)
    w = numbers.standard_normal((20, *found.kernel, 32)).astype(np.float16)
    bias = numbers.standard_normal(20).astype(np.float16)
    op = g.ConvOp(*_values(np.moveaxis(x, -1, 1), np.moveaxis(w, -1, 1), bias), strides=found.strides,
                  pads=[each[side] for side in (0, 1) for each in found.pads])  # fmt: skip
    expected = np.moveaxis(evaluate(op, [np.moveaxis(x, -1, 1), np.moveaxis(w, -1, 1), bias])[0], 1, -1)
    for block in ((32, 16, 16), (32, 16, 64)):
        kernel = kernel_of(problem, Schedule(block, (2, 1), stages=2, swizzled=True))
        ModuleOp([kernel]).verify()
        given_w = w if across else np.moveaxis(w, 0, -1)
        (mine,) = run_kernel(kernel, [x, given_w, bias])
        np.testing.assert_allclose(mine, np.maximum(expected, 0), rtol=4e-3, atol=4e-2)


def _values(*arrays: NDArray[np.generic]) -> list[Operation]:
    from xdsl.dialects.builtin import Float16Type, TensorType
    from xdsl.dialects.test import TestOp

    return [TestOp(result_types=[TensorType(Float16Type(), each.shape)]) for each in arrays]


def attention(data: st.DataObject) -> Operation:
    """Return an attention of any shape, with or without a mask, causal or not."""
    batch, groups, sharing = (data.draw(st.integers(1, 2)) for _ in range(3))
    queries, keys, depth, width = (data.draw(st.integers(1, most)) for most in (50, 70, 40, 40))
    heads = groups * sharing
    shapes = [(batch, heads, queries, depth), (batch, groups, keys, depth), (batch, groups, keys, width)]
    element = data.draw(st.sampled_from(["f16", "bf16"]))
    types = [f"tensor<{shaped(*shape)}x{element}>" for shape in shapes]
    if kind := data.draw(st.sampled_from(["", element, "f32", "i1"])):
        mask = [data.draw(st.sampled_from([1, extent])) for extent in (batch, heads, queries, keys)]
        types.append(f"tensor<{shaped(*mask[data.draw(st.integers(0, 3)) :])}x{kind}>")
    names = ["%q", "%k", "%v", "%m"][: len(types)]
    words = data.draw(
        st.sampled_from(["", "causal", "scale = 0.3", "softcap = 2.0, causal", "window = 9, unseen = nans"])
    )
    signature = ", ".join(f"{name}: {type_}" for name, type_ in zip(names, types, strict=True))
    text = f"%y = graph.attention {', '.join(names)} {words} : {', '.join(types)}"
    return op_of(f"func.func @f({signature}) {{ {text}\n func.return }}")


@pytest.mark.slow
@settings(max_examples=cases(75), deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 2), st.sampled_from([16, 32]))
def test_attention_of_any_shape(data: st.DataObject, stages: int, register_stages: int, keys: int) -> None:
    """The tolerance is half an ulp for each weight and for the result, since the kernel, unlike the graph op, rounds
    weights to the element type before it multiplies them by the values. A query without visible keys gives zeros."""
    op = attention(data)
    ulp = 2.0**-10 if "bf16" not in str(op.operands[0].type) else 2.0**-7
    schedule = Schedule((32, keys, 16), (2, 1), stages=stages, register_stages=register_stages, pad=8)
    check(op, schedule, error=6 * ulp)


def test_attention_with_a_causal_window() -> None:
    types = "tensor<1x2x40x16xf16>, tensor<1x2x50x16xf16>, tensor<1x2x50x16xf16>"
    signature = "%q: tensor<1x2x40x16xf16>, %k: tensor<1x2x50x16xf16>, %v: tensor<1x2x50x16xf16>"
    text = f"%y = graph.attention %q, %k, %v causal, window = 7 : {types}"
    op = op_of(f"func.func @f({signature}) {{ {text}\n func.return }}")
    check(op, Schedule((16, 16, 16), (1, 1)), error=6 * 2.0**-10)


def test_queries_that_see_no_key_give_zeros() -> None:
    types = "tensor<1x1x40x16xf16>, tensor<1x1x20x16xf16>, tensor<1x1x20x16xf16>"
    signature = "%q: tensor<1x1x40x16xf16>, %k: tensor<1x1x20x16xf16>, %v: tensor<1x1x20x16xf16>"
    op = op_of(f"func.func @f({signature}) {{ %y = graph.attention %q, %k, %v causal : {types}\n func.return }}")
    kernel = kernel_of_op(op, Schedule((16, 16, 16), (1, 1)))
    (found,) = run_kernel(kernel, draws(op))
    assert (found[0, 0, :20] == 0).all()
    assert (found[0, 0, 20:] != 0).all()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("%p = graph.relu %1 : tensor<8x8xf16>\n graph.yield %p", "the group has 0 matrix products"),
        (
            """%p = graph.matmul %1, %1 : tensor<8x8xf16>, tensor<8x8xf16>
               %q = graph.softmax %p axis = 1 : tensor<8x8xf16>
               graph.yield %q""",
            "graph.softmax does not work element by element",
        ),
        (
            """%p = graph.relu %1 : tensor<8x8xf16>
               %q = graph.matmul %p, %1 : tensor<8x8xf16>, tensor<8x8xf16>
               graph.yield %q""",
            "the group computes a factor of its product",
        ),
    ],
)
def test_ops_without_a_template_are_refused_with_a_reason(body: str, why: str) -> None:
    op = op_of(f"func.func @f(%a: tensor<8x8xf16>) {{ %y = graph.fused (%1 = %a) {{ {body} \n}}\n func.return }}")
    with pytest.raises(Unfit, match=why):
        inputs_of(op)


def test_attention_with_sinks_has_no_template() -> None:
    types = ", ".join(["tensor<1x2x40x16xf16>"] * 3)
    text = f"%y = graph.attention %q, %q, %q, %s sinks : {types}, tensor<2xf16>"
    op = op_of(f"func.func @f(%q: tensor<1x2x40x16xf16>, %s: tensor<2xf16>) {{ {text}\n func.return }}")
    with pytest.raises(Unfit, match="attention with sinks has no template"):
        kernel_of_op(op, Schedule((16, 16, 16), (1, 1)))


EXAMPLES = Path(__file__).parents[3] / "examples"


def example(name: str) -> KernelOp:
    text = (EXAMPLES / name).read_text()
    kernel = next(op for op in parse(text).ops if isinstance(op, KernelOp))
    kernel.detach()
    return kernel


def test_the_example_of_attention_is_the_graph_op() -> None:
    kernel = example("attention.tile.mlir")
    type_ = "tensor<1x12x512x64xf16>"
    signature = ", ".join(f"%{name}: {type_}" for name in "qkv")
    text = f"%y = graph.attention %q, %k, %v : {type_}, {type_}, {type_}"
    op = op_of(f"func.func @f({signature}) {{ {text}\n func.return }}")
    arrays = draws(op)
    expected = evaluate(op, arrays)[0]
    for each in (kernel, pipelined(example("attention.tile.mlir"), Schedule((64, 64, 16), (4, 1)))):
        (found,) = run_kernel(each, [array[0] for array in arrays])
        np.testing.assert_allclose(found.astype(np.float32), expected[0].astype(np.float32), rtol=0, atol=2e-3)


@pytest.mark.slow
def test_the_example_of_a_convolution_is_the_graph_op() -> None:
    numbers = np.random.default_rng(0)
    x = numbers.standard_normal((8, 28, 28, 128)).astype(np.float16)
    w = (numbers.standard_normal((3, 3, 128, 128)) / 32).astype(np.float16)
    bias = numbers.standard_normal(128).astype(np.float16)
    first, last = np.moveaxis(x, -1, 1), np.transpose(w, (3, 2, 0, 1))
    op = g.ConvOp(*_values(first, last, bias), pads=[1, 1, 1, 1])
    expected = np.maximum(np.moveaxis(evaluate(op, [first, last, bias])[0], 1, -1), 0)
    (found,) = run_kernel(example("convolution.tile.mlir"), [x, w, bias])
    np.testing.assert_allclose(found.astype(np.float32), expected.astype(np.float32), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(("channels", "width"), [(128, 8), (36, 4), (6, 2), (5, 1)])
def test_copies_of_windows_are_as_wide_as_their_channels_allow(channels: int, width: int) -> None:
    found = Convolution(2, (8, 8), channels, 16, (3, 3), (1, 1), ((1, 1), (1, 1)))
    for depth in (16, 32):
        kernel = kernel_of(Problem.of_convolution(found), Schedule((32, 16, depth), (1, 1), stages=3))
        image = next(
            op for op in kernel.walk() if isinstance(op, CopyOp) and isinstance(op.source.memory.owner, ViewOp)
        )
        assert width_of(image) == width


def test_images_with_channels_first_are_not_copied_asynchronously() -> None:
    op = op_of("""
      func.func @f(%x: tensor<2x32x8x8xf16>, %w: tensor<32x32x3x3xf16>) {
        %y = graph.conv %x, %w pads = [1, 1, 1, 1] : tensor<2x32x8x8xf16>, tensor<32x32x3x3xf16>
        func.return
      }""")
    schedule = Schedule((32, 32, 32), (2, 2), stages=3)
    kernel = pipelined(kernel_of_op(op, schedule), schedule)
    copies = [each for each in kernel.walk() if isinstance(each, CopyOp) and scope_of(each.target.memory) == "shared"]
    assert all(each.asynchronous is None for each in copies)
    buffers = [each for each in kernel.walk() if isinstance(each, BufferOp) and each.scope.data == "shared"]
    assert all("tile.why" in each.attributes for each in buffers)
