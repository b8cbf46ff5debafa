"""Laws of the checks for hazards in thread blocks: pipelined kernels are mutated at random, and each mutation is either
reported by the checks, or harmless by a brute-force memory model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError, VerifyException

from dialects.diagnostics import InputError
from dialects.tile import KernelOp, memref_of
from interp.tile.races import check_races
from interp.tile.values import run_kernel
from lowering.tile.pipelining import PASSES, PEELED
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.templates import kernel_of_op, pipelined_kernel
from ndpir import parse
from tests.amount import EXAMPLES, cases
from tests.unit.tile.memory_model import Model, Time

CONVOLUTION = """
tile.kernel @windows on @gpu (%x: memref<6x4x4xf16>, %w: memref<3x2x4x4xf16>) -> (%y: memref<4x4xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %xs = tile.buffer shared stages 3 : memref<4x4xf16>
    %ws = tile.buffer shared stages 3 : memref<4x4xf16>
    %xf = tile.buffer register stages 2 : memref<4x2xf16>
    %wf = tile.buffer register stages 2 : memref<2x4xf16>
    %sum = tile.buffer register : memref<4x4xf32>
    tile.fill %sum with 0.0
    tile.for %r = 0 to 3 {
      tile.for %s = 0 to 2 {
        tile.copy async padded %x[%r + %s * 3 - 1] to %xs
        tile.copy async %w[%r, %s] to %ws
        tile.commit
        tile.wait 0
        tile.barrier
        tile.for %t = 0 to 2 {
          tile.copy %xs[0 : 4, %t * 2 : 2] to %xf
          tile.copy %ws[%t * 2 : 2] to %wf
          tile.mma %xf, %wf into %sum
        }
        tile.barrier
      }
    }
    tile.copy %sum to %y
  }
}
"""

ATTENTION = """
tile.kernel @mha on @gpu (%q: memref<4x4xf16>, %k: memref<16x4xf16>, %v: memref<16x4xf16>) -> (%o: memref<4x4xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %ks = tile.buffer shared stages 2 : memref<4x4xf16>
    %vs = tile.buffer shared stages 2 : memref<4x4xf16>
    %qf = tile.buffer register : memref<4x4xf16>
    %kf = tile.buffer register stages 2 : memref<4x2xf16>
    %vf = tile.buffer register stages 2 : memref<2x4xf16>
    %s = tile.buffer register : memref<4x4xf32>
    %p = tile.buffer register : memref<4x4xf16>
    %m = tile.buffer register : memref<4x1xf32>
    %l = tile.buffer register : memref<4x1xf32>
    %acc = tile.buffer register : memref<4x4xf32>
    tile.fill %m with -100.0
    tile.fill %l with 0.0
    tile.fill %acc with 0.0
    tile.copy %q to %qf
    tile.for %j = 0 to 4 {
      tile.copy async %k[%j * 4 : 4] to %ks
      tile.copy async %v[%j * 4 : 4] to %vs
      tile.commit
      tile.wait 0
      tile.barrier
      tile.fill %s with 0.0
      tile.for %d = 0 to 2 {
        tile.copy %ks[0 : 4, %d * 2 : 2] to %kf
        tile.mma %qf[0 : 4, %d * 2 : 2], across %kf into %s
      }
      %scores = tile.read %s
      %before = tile.read %m
      %rows = graph.reduce max %scores axes = [1], keep_dims : tensor<4x4xf32>
      %largest = graph.max %before, %rows : tensor<4x1xf32>
      %lower = graph.sub %scores, %largest : tensor<4x4xf32>, tensor<4x1xf32>
      %e = graph.exp %lower : tensor<4x4xf32>
      tile.write %e to %p
      %drop = graph.sub %before, %largest : tensor<4x1xf32>
      %scale = graph.exp %drop : tensor<4x1xf32>
      %parts = tile.read %l
      %scaled = graph.mul %parts, %scale : tensor<4x1xf32>
      %more = graph.reduce sum %e axes = [1], keep_dims : tensor<4x4xf32>
      %total = graph.add %scaled, %more : tensor<4x1xf32>
      tile.write %total to %l
      tile.write %largest to %m
      %old = tile.read %acc
      %new = graph.mul %old, %scale : tensor<4x4xf32>, tensor<4x1xf32>
      tile.write %new to %acc
      tile.for %t = 0 to 2 {
        tile.copy %vs[%t * 2 : 2] to %vf
        tile.mma %p[0 : 4, %t * 2 : 2], %vf into %acc
      }
      tile.barrier
    }
    %sums = tile.read %acc
    %all = tile.read %l
    %mean = graph.div %sums, %all : tensor<4x4xf32>, tensor<4x1xf32>
    tile.write %mean to %acc
    tile.copy %acc to %o
  }
}
"""


def kernel_in(text: str) -> KernelOp:
    return next(op for op in parse(text).ops if isinstance(op, KernelOp))


def product_of(stages: int, register_stages: int, peeled: bool = False, inner: int = 2) -> Callable[[], KernelOp]:
    schedule = Schedule((4, 4, 4), (1, 1), inner, stages, register_stages, peeled=peeled)
    return lambda: pipelined_kernel(Problem(4, 4, 16, result="f32"), schedule)


def piped(text: str, peeled: bool = False) -> Callable[[], KernelOp]:
    def make() -> KernelOp:
        module = ModuleOp([kernel_in(text).clone()])
        for each in PEELED if peeled else PASSES:
            each().apply(Context(), module)
        return next(op for op in module.ops if isinstance(op, KernelOp))

    return make


def attention() -> KernelOp:
    """Return the attention template's kernel for one head."""
    text = """func.func @f(%q: tensor<1x1x16x16xf16>, %k: tensor<1x1x48x16xf16>, %v: tensor<1x1x48x16xf16>) {
      %y = graph.attention %q, %k, %v : tensor<1x1x16x16xf16>, tensor<1x1x48x16xf16>, tensor<1x1x48x16xf16>
      func.return
    }"""
    op = next(op for op in parse(text).walk() if op.name == "graph.attention")
    kernel = kernel_of_op(op, Schedule((16, 16, 16), (1, 1), 8, 2, 2))
    module = ModuleOp([kernel])
    for each in PASSES:
        each().apply(Context(), module)
    return kernel


KERNELS: dict[str, Callable[[], KernelOp]] = {
    "product, 2 stages": product_of(2, 1),
    "product, 3 stages": product_of(3, 1, inner=4),
    "product, fragments alone": product_of(1, 2),
    "product, 2 stages and fragments": product_of(2, 2),
    "product, 3 stages and fragments of 3": product_of(3, 3, inner=1),
    "product, 3 stages and fragments, peeled": product_of(3, 2, peeled=True),
    "convolution": piped(CONVOLUTION),
    "convolution, peeled": piped(CONVOLUTION, peeled=True),
    "attention": piped(ATTENTION),
    "attention, peeled": piped(ATTENTION, peeled=True),
}


@cache
def text_of(name: str) -> str:
    return str(KERNELS[name]())


@cache
def inputs_of(name: str) -> list[NDArray[np.generic]]:
    """Return input arrays of a kernel: small integers, so that products and sums are exact."""
    draws = np.random.default_rng(0)
    shapes = [memref_of(each).get_shape() for each in kernel_in(text_of(name)).inputs]
    return [draws.integers(-3, 4, shape).astype(np.float16) for shape in shapes]


@cache
def expected_of(name: str) -> NDArray[np.generic]:
    return run_kernel(kernel_in(text_of(name)), inputs_of(name))[0]


EVERY = max(1, round(12 * 9 / EXAMPLES))
"""The mutations of a kernel of which one is judged."""

NUMBER = re.compile(r"(?<![\w%<.])\d+(?![\w.])")


def mutations(text: str) -> Iterator[str]:
    """Yield texts with one change: an op removed, duplicated or swapped with its neighbour, moved into a loop or out of
    it, made synchronous, or with one number increased or decreased by one."""
    lines = text.splitlines()
    first = max(at for at, line in enumerate(lines) if "tile.buffer" in line) + 1
    for at in range(first, len(lines) - 2):
        line, rest = lines[at], (lines[:at], lines[at + 1 :])
        is_op = not line.rstrip().endswith(("{", "}"))
        if is_op:
            yield "\n".join([*rest[0], *rest[1]])
            if "=" not in line.split("tile.")[0]:
                yield "\n".join([*rest[0], line, line, *rest[1]])
        if is_op or not lines[at + 1].rstrip().endswith(("{", "}")):
            yield "\n".join([*rest[0], lines[at + 1], line, *rest[1][1:]])
        if " async" in line:
            yield "\n".join([*rest[0], line.replace(" async", ""), *rest[1]])
        for number in NUMBER.finditer(line):
            for other in (int(number.group()) - 1, int(number.group()) + 1):
                if other >= 0:
                    changed = line[: number.start()] + str(other) + line[number.end() :]
                    yield "\n".join([*rest[0], changed, *rest[1]])


@cache
def mutations_of(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in mutations(text_of(name)) if each != text_of(name)))


def executions(model: Model, draw: Callable[[int], int]) -> dict[int, Time]:
    """Return the time of each event by its position; `draw` selects for each event its earliest time, its latest time
    or its position in the program. A copy that no wait covers has no latest time; it is left out if this time is
    selected."""
    times = [(event.early, (event.at, 0), event.late)[draw(3)] for event in model.events]
    return {event.at: time for event, time in zip(model.events, times, strict=True) if time[0] != float("inf")}


def race_in(kernel: KernelOp) -> InputError | None:
    """Return the first race that the checks find."""
    try:
        check_races(kernel)
    except InputError as error:
        return error
    return None


def judge(name: str, text: str, seed: int) -> str:
    """Classify a mutation; fail if the checks and the memory model disagree."""
    try:
        kernel = kernel_in(text)
    except (ParseError, VerifyException, InputError):
        return "refused"
    model = Model(kernel)
    race = race_in(kernel)
    assert (race is None) == model.is_ordered(), f"{race or 'a race that is not found'}:\n{text}"
    if race is not None:
        assert race.place is not None
        return "race"
    try:
        (found,) = run_kernel(kernel, inputs_of(name))
    except InputError:
        return "refused"
    draws = np.random.default_rng(seed)
    (shown,) = model.values(inputs_of(name), executions(model, lambda count: int(draws.integers(count))))
    np.testing.assert_allclose(shown.astype(np.float64), found.astype(np.float64), rtol=2e-3, atol=1e-3, err_msg=text)
    same = np.allclose(found.astype(np.float64), expected_of(name).astype(np.float64), rtol=2e-3, atol=1e-3)
    return "harmless" if same else "other values"


@pytest.mark.parametrize("name", KERNELS)
def test_pipelined_kernels_are_ordered(name: str) -> None:
    assert judge(name, text_of(name), 0) == "harmless"


@pytest.mark.slow
@settings(max_examples=cases(100), deadline=None)
@given(st.sampled_from(sorted(KERNELS)), st.integers(0, 1 << 20), st.integers(0, 7))
def test_every_mutation_is_caught_or_harmless(name: str, number: int, seed: int) -> None:
    found = mutations_of(name)
    judge(name, found[number % len(found)], seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_some_mutations_are_caught_or_harmless(name: str) -> None:
    found = [judge(name, text, seed) for seed, text in enumerate(mutations_of(name)[::EVERY])]
    assert {"race", "refused", "harmless"} <= {*found} <= {"race", "refused", "other values", "harmless"}


@pytest.mark.slow
def test_some_mutations_of_the_templates_attention_are_caught_or_harmless() -> None:
    KERNELS["template"] = attention
    try:
        found = [judge("template", text, seed) for seed, text in enumerate(mutations_of("template")[:: 5 * EVERY // 2])]
    finally:
        del KERNELS["template"]
    assert {"race", "refused", "harmless"} <= {*found} <= {"race", "refused", "other values", "harmless"}


@settings(max_examples=cases(75), deadline=None)
@given(st.data())
def test_two_mutations_are_caught_or_harmless(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["product, 2 stages", "product, fragments alone"]))
    first = mutations_of(name)[data.draw(st.integers(0, len(mutations_of(name)) - 1))]
    second = list(mutations(first))
    judge(name, second[data.draw(st.integers(0, len(second) - 1))], 0)


ACCESSES = (
    "tile.copy async %x[PLACE] to %s[PLACE]",
    "tile.copy async %x[PLACE] to %t[PLACE]",
    "tile.copy %x[PLACE] to %s[PLACE]",
    "tile.copy %s[PLACE] to %r",
    "tile.copy %t[PLACE] to %r",
    "tile.copy %r to %t[PLACE]",
    "tile.fill %s[PLACE] with 0.0",
    "tile.commit",
    "tile.commit",
    "tile.wait 0",
    "tile.wait 1",
    "tile.barrier",
    "tile.barrier",
)
PLACES = ("0 : 2", "1 : 2", "%k : 2", "(%k + 1) mod 3 : 2")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Return a kernel of random accesses to two shared buffers, inside and outside of a loop."""

    def ops(count: int, inside: bool) -> str:
        places = PLACES if inside else PLACES[:2]
        chosen = draw(st.lists(st.sampled_from(ACCESSES), min_size=1, max_size=count))
        lines = [re.sub("PLACE", lambda _: draw(st.sampled_from(places)), each) for each in chosen]
        apart = draw(st.sampled_from(["", "", "\ntile.barrier"]))
        return "".join(f"{each}{apart}\n" for each in lines)

    return f"""
tile.kernel @random on @gpu (%x: memref<4x2xf16>) -> (%y: memref<2x2xf16>) {{
  tile.blocks %i = 0 to 1 warps 2, 1 {{
    %s = tile.buffer shared : memref<4x2xf16>
    %t = tile.buffer shared : memref<4x2xf16>
    %r = tile.buffer register : memref<2x2xf16>
    tile.copy %x to %s
    tile.copy %x to %t
    tile.barrier
    tile.copy %s[0 : 2] to %r
    {ops(4, False)}
    tile.for %k = 0 to 3 {{
      {ops(8, True)}
    }}
    {ops(4, False)}
    tile.commit
    tile.wait 0
    tile.copy %r to %y
  }}
}}
"""


@settings(max_examples=cases(250), deadline=None)
@given(programs())
def test_checks_find_races_of_random_programs_and_no_others(text: str) -> None:
    kernel = kernel_in(text)
    race = race_in(kernel)
    assert (race is None) == Model(kernel).is_ordered(), str(race)
