"""Tests of PIMFlow's search: MobileNetV2's speed-ups against published ones, and, for random costs, its plan against
the cheapest plan, found by an independent enumeration of the same space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

import ndpir
from dialects.diagnostics import notes_to
from dialects.graph import ConvOp, shape_of
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.cost import NOTHING, Cost
from interp.walk.entry import functions
from lowering.alone.baseline import unpartitioned_clock
from lowering.banks.templates import clock_for
from lowering.partition.pimflow.search import MODES, PimflowPlan, plan_pimflow
from lowering.partition.pimflow.space import PERCENTS, convolution_of, runs
from tests.programs import parse

PASSES = "canonicalize,fuse{residual=false},reduce-precision"
BASELINE_CYCLES = 1_454_400
PUBLISHED = {"newton": 1.365, "pipeline": 1.413, "mddp": 1.436, "pimflow": 1.481}
"""Published speed-ups of MobileNetV2's 52 convolutions by mode, and their cycles on the GPU alone (README of PIMFlow's
artifact)."""
OURS = {"newton": 1.449, "pipeline": 1.480, "mddp": 1.520, "pimflow": 1.551}
MODELS = ("efficientnet_b0", "mnasnet1_0", "mobilenet_v2", "resnet50", "vgg16")


@cache
def network(model: str) -> ModuleOp:
    with notes_to(lambda message, place: None):
        return ndpir.compile(ndpir.read(f"examples/models/{model}.onnx"), PASSES, machine="pimflow-artifact")


@cache
def plans(model: str) -> dict[str, PimflowPlan]:
    module = network(model)
    clock = clock_for(module)
    return {name: plan_pimflow(functions(module)[0], clock, mode) for name, mode in MODES.items()}


def baseline_ns() -> float:
    """The time in ns of all convolutions of MobileNetV2 on the unpartitioned GPU."""
    module = network("mobilenet_v2")
    ops = [op for step in plans("mobilenet_v2")["newton"].steps for op in step.ops]
    assert len(ops) == 52
    clock = unpartitioned_clock(clock_for(module))
    return sum(clock.op_cost(op, clock.machine.primary).ns for op in ops)


@pytest.mark.slow
def test_the_baseline_equals_the_published_one() -> None:
    assert baseline_ns() * 1.365 == pytest.approx(BASELINE_CYCLES, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_speed_ups_of_mobilenet_are_close_to_published_ones(mode: str) -> None:
    speed_up = baseline_ns() / plans("mobilenet_v2")[mode].convolutions_ns
    assert speed_up == pytest.approx(PUBLISHED[mode], rel=0.07)
    assert f"{speed_up:.3f}" == f"{OURS[mode]:.3f}"


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_a_larger_search_space_gives_no_slower_plan(model: str) -> None:
    ns = {mode: plan.convolutions_ns for mode, plan in plans(model).items()}
    assert ns["newton"] >= max(ns["pipeline"], ns["mddp"])
    assert min(ns["pipeline"], ns["mddp"]) >= ns["pimflow"]


@dataclass(frozen=True)
class Spec:
    """The sizes of a convolution, or of a part of one that computes some rows of the result; costs depend only on these
    sizes. `above`, `below`: rows of padding; columns are padded like the rows of the complete convolution."""

    channels: int
    height: int
    width: int
    filters: int
    kernel: int = 1
    stride: int = 1
    dilation: int = 1
    depthwise: bool = False
    above: int = 0
    below: int = 0

    @property
    def rows(self) -> int:
        """The number of rows of the result."""
        return (self.height + self.above + self.below - self.dilation * (self.kernel - 1) - 1) // self.stride + 1

    def needs(self, rows: range) -> range:
        """The rows of the image from which given rows of the result are computed."""
        begin = rows.start * self.stride - self.above
        end = (rows.stop - 1) * self.stride - self.above + self.dilation * (self.kernel - 1) + 1
        return range(max(0, begin), min(self.height, end))

    def part(self, rows: range) -> Spec | None:
        """The convolution that computes only these rows of the result; None for an empty range."""
        if not rows:
            return None
        begin = rows.start * self.stride - self.above
        end = (rows.stop - 1) * self.stride - self.above + self.dilation * (self.kernel - 1) + 1
        height = len(self.needs(rows))
        return replace(self, height=height, above=max(0, -begin), below=max(0, end - self.height))

    def cost(self, device: str, seed: float) -> float:
        """A pseudo-random cost, an integer number of ns. Depthwise layers are cheaper, so that some pipelines pay
        off."""
        return float(crc32(repr((self, device, seed)).encode()) % (30 if self.depthwise else 100))


class SpecClock(Clock):
    """A clock on which the time of a convolution is a pseudo-random function of its sizes (`Spec.cost`); its PIM can't
    run convolutions with groups."""

    def __init__(self, machine: Machine, seed: float) -> None:
        super().__init__(machine)
        self.seed = seed

    def supports(self, op: Operation, device: str) -> bool:
        return device == "gpu" or (isinstance(op, ConvOp) and op.groups.value.data == 1)

    def op_cost(self, op: Operation, device: str) -> Cost:
        if not isinstance(op, ConvOp):
            return NOTHING
        (stride, _), (high, _), (dilation, _) = op.window(op.kernel)
        _, channels, height, width = shape_of(op.x)
        filters, *_, kernel = shape_of(op.w)
        grouped = op.groups.value.data > 1
        spec = Spec(channels, height, width, filters, kernel, stride, dilation, grouped, *high)
        work = op.work()
        ns = spec.cost(device, self.seed)
        return Cost(ns, ns, work.bytes, work.flops, "table")

    def prepare(self, ops: object, device: str) -> None:
        pass


@dataclass(frozen=True)
class Net:
    """A chain of convolutions; `shown` has the indices of intermediate results that the network also returns."""

    specs: tuple[Spec, ...]
    shown: frozenset[int] = frozenset()

    def function(self) -> FuncOp:
        image = f"tensor<1x{self.specs[0].channels}x{self.specs[0].height}x{self.specs[0].width}xf32>"
        lines, types = list[str](), [image]
        for i, spec in enumerate(self.specs):
            weight = f"tensor<{spec.filters}x{1 if spec.depthwise else spec.channels}x{spec.kernel}x{spec.kernel}xf32>"
            words = (
                f"groups = {spec.channels if spec.depthwise else 1}, strides = [{spec.stride}, 1],"
                f" pads = [{spec.above}, {spec.above}, {spec.below}, {spec.below}],"
                f" dilations = [{spec.dilation}, {spec.dilation}]"
            )
            lines.append(f'%w{i} = graph.weight "w{i}" = uniform(-1.0, 1.0, {i}) : {weight}')
            lines.append(f"%v{i + 1} = graph.conv %v{i}, %w{i} {words} : {types[-1]}, {weight}")
            types.append(f"tensor<1x{spec.filters}x{spec.rows}x{spec.width}xf32>")
        results = [*sorted(self.shown), len(self.specs)]
        given = ", ".join(f"%v{i}" for i in results)
        outputs = ", ".join(types[i] for i in results)
        body = "\n".join(lines)
        text = f"func.func @main(%v0: {image}) -> ({outputs}) {{\n{body}\nfunc.return {given} : {outputs}\n}}"
        return functions(parse(text))[0]


WIDTH = 8


@composite
def nets(draw: DrawFn) -> Net:
    channels, height = 4, draw(st.integers(1, 20))
    width = 1 if height == 1 and draw(st.booleans()) else WIDTH
    specs: list[Spec] = []
    for _ in range(draw(st.integers(3, 6))):
        kind = draw(st.sampled_from(("pointwise", "pointwise", "depthwise", "depthwise", "dense", "dilated")))
        stride = draw(st.sampled_from((1, 1, 1, 2)))
        filters = channels if kind == "depthwise" else draw(st.sampled_from((2, 4, 8)))
        if kind == "pointwise":
            spec = Spec(channels, height, width, filters, stride=stride)
        else:
            dilation = 2 if kind == "dilated" else 1
            spec = Spec(channels, height, width, filters, 3, stride, dilation, kind == "depthwise", dilation, dilation)
        specs.append(spec)
        channels, height = filters, spec.rows
    shown = draw(st.sets(st.integers(1, len(specs) - 1), max_size=1))
    return Net(tuple(specs), frozenset(shown))


def splits(spec: Spec) -> Iterator[int]:
    """The numbers of result rows that the GPU may compute in a split (pim/transform.py, InputSplit); splits that leave
    all rows to one device are left out."""
    if spec.depthwise or spec.height == 1 or spec.dilation > 1:
        return
    for percent in range(10, 100, 10):
        image = -(-spec.height * percent // 100)
        more = (image - 1) % spec.stride
        if image + spec.kernel // 2 - more < spec.height - 1:  # otherwise, the split is too close to the border
            yield (image + spec.above + spec.kernel // 2 - more - spec.kernel) // spec.stride + 1


def cheapest_layer(spec: Spec, seed: int, split: bool) -> float:
    if spec.depthwise:
        return spec.cost("gpu", seed)
    if spec.kernel == 1 and spec.height * spec.width == 1:  # a fully connected layer runs on the PIM
        return spec.cost("pim", seed)
    found = [spec.cost("gpu", seed), spec.cost("pim", seed)]
    for rows in splits(spec) if split else ():
        gpu, pim = spec.part(range(rows)), spec.part(range(rows, spec.rows))
        if gpu is not None and pim is not None:
            found.append(max(gpu.cost("gpu", seed), pim.cost("pim", seed)))
    return min(found)


def pipeline(net: Net, start: int, count: int, seed: int) -> float | None:
    """The time of a pipeline of layers in two halves, of types 1 to 3 (pipeline/extract_layers.py); None if the layers
    are of none of these types."""
    specs = net.specs[start : start + count]
    kinds = ["1x1" if spec.kernel == 1 else "DW" if spec.depthwise else "dense" for spec in specs]
    if kinds not in (["1x1", "DW"], ["DW", "1x1"], ["dense", "1x1"], ["1x1", "DW", "1x1"]):
        return None
    if net.shown & set(range(start + 1, start + count)) or any(spec.stride > 1 for spec in specs[1:]):
        return None
    if any(spec.kernel == 1 and spec.height * spec.width == 1 for spec in specs):
        return None
    if specs[0].stride > 1 and specs[0].height % 4:
        return None
    half = specs[-1].rows // 2
    ranges = [range(half), range(half, specs[-1].rows)]
    halves: list[list[float]] = []
    for spec, kind in reversed(list(zip(specs, kinds, strict=True))):
        parts = [spec.part(rows) for rows in ranges]
        if None in parts:
            return None
        device = "pim" if kind == "1x1" else "gpu"
        halves.insert(0, [part.cost(device, seed) for part in parts if part is not None])
        ranges = [spec.needs(rows) for rows in ranges]
    first, *middle, last = halves
    if middle:
        ((b1, b2),) = middle
        return first[0] + max(b1, first[1]) + max(b2, last[0]) + last[1]
    return first[0] + max(first[1], last[0]) + last[1]


def cheapest(net: Net, begin: int, end: int, seed: int, mode: str) -> float:
    """The cost of the cheapest plan (solve/solve.py); a pipeline is used only if it saves more than 10 cycles, here of
    1 ns."""
    if end - begin == 1:
        return cheapest_layer(net.specs[begin], seed, mode in ("mddp", "pimflow"))
    cut = min(cheapest(net, begin, at, seed, mode) + cheapest(net, at, end, seed, mode) for at in range(begin + 1, end))
    run = pipeline(net, begin, end - begin, seed) if mode in ("pipeline", "pimflow") and end - begin <= 3 else None
    return run if run is not None and run < cut - 10 else cut


MACHINE = Machine.of(
    parse("""
    hw.device @gpu = "toy_gpu"
    hw.device @pim = "toy_pim"
    hw.link @gpu to @pim = "toy_link"
    """)
)


def planned(net: Net, seed: int, mode: str) -> PimflowPlan:
    return plan_pimflow(net.function(), SpecClock(MACHINE, seed), MODES[mode])


@pytest.mark.slow
@given(nets(), st.integers(0, 1 << 16), st.sampled_from(sorted(MODES)))
def test_the_search_finds_the_cheapest_plan_of_its_space(net: Net, seed: int, mode: str) -> None:
    plan = planned(net, seed, mode)
    assert plan.convolutions_ns == cheapest(net, 0, len(net.specs), seed, mode)
    assert sum(len(step.ops) for step in plan.steps) == len(net.specs)


@pytest.mark.slow
def test_random_costs_lead_to_all_kinds_of_steps() -> None:
    """Plans for random costs have steps of all kinds, so the comparison with the cheapest plan covers each kind."""
    net = Net((Spec(4, 16, 8, 8), Spec(8, 16, 8, 8, 3, 1, 1, True, 1, 1), Spec(8, 16, 8, 4), Spec(4, 16, 8, 4)))
    kinds = [step.kind for seed in range(40) for step in planned(net, seed, "pimflow").steps]
    assert set(kinds) == {"gpu", "pim", "split", "pipeline"}


class Halves(SpecClock):
    """A clock on which 1x1 layers take 50 ns and their halves 25 ns on each device; depthwise layers take 40 ns, and
    their halves `seed` ns."""

    def op_cost(self, op: Operation, device: str) -> Cost:
        if not isinstance(op, ConvOp):
            return NOTHING
        half, grouped = shape_of(op.y)[2] < 16, op.groups.value.data > 1
        ns = (self.seed if half else 40.0) if grouped else 25.0 if half else 50.0
        return Cost(ns, ns, 1, 1, "table")


@pytest.mark.parametrize(("half", "kind", "ns"), [(28, "gpu", 90), (27.5, "gpu", 90), (27, "pipeline", 79)])
def test_a_pipeline_saves_more_than_10_cycles(half: float, kind: str, ns: float) -> None:
    """Unsplit, the two layers take 50 + 40 ns. As a pipeline of halves they take 25 + max(25, half) + half ns, that is
    81, 80 and 79 ns in the three cases; a cycle is 1 ns."""
    net = Net((Spec(4, 16, 8, 4), DEPTHWISE))
    plan = plan_pimflow(net.function(), Halves(MACHINE, half), MODES["pipeline"])
    assert (plan.steps[0].kind, plan.convolutions_ns) == (kind, ns)


POINTWISE = Spec(4, 16, 8, 4)
DEPTHWISE = Spec(4, 16, 8, 4, 3, 1, 1, True, 1, 1)
DENSE = Spec(4, 16, 8, 4, 3, 1, 1, False, 1, 1)


@pytest.mark.parametrize(
    ("spec", "rows"),
    [
        (POINTWISE, [2, 4, 5, 7, 8, 10, 12, 13, None]),  # at 90 %, only one row would be left for the PIM
        (DENSE, [2, 4, 5, 7, 8, 10, 12, 13, None]),
        (
            replace(DENSE, height=14),
            [2, 3, 5, 6, 7, 9, 10, None, None],
        ),  # at 80 %, halo rows would reach the last row but one
        (replace(POINTWISE, stride=2), [1, 2, 3, 4, 4, 5, 6, 7, None]),
        (DEPTHWISE, [None] * 9),
        (replace(DENSE, dilation=2, above=2, below=2), [None] * 9),
        (replace(POINTWISE, height=1), [None] * 9),
        (replace(POINTWISE, height=1, width=1), [None] * 9),
    ],
)
def test_rows_of_the_gpu_in_each_split(spec: Spec, rows: list[int | None]) -> None:
    """`rows` are the rows of the result that the GPU computes with 10 %, 20 % … of the image; None where no split is
    possible."""
    layer = convolution_of(next(op for op in Net((spec,)).function().walk() if isinstance(op, ConvOp)))
    assert layer is not None
    assert [layer.rows(percent) for percent in PERCENTS] == rows


@pytest.mark.parametrize(
    ("specs", "found"),
    [
        ((POINTWISE, DEPTHWISE), ["1x1-DW"]),
        ((DEPTHWISE, POINTWISE), ["DW-1x1"]),
        ((DENSE, POINTWISE), ["DW-1x1"]),
        ((POINTWISE, DEPTHWISE, POINTWISE), ["1x1-DW", "1x1-DW-1x1", "DW-1x1"]),
        ((POINTWISE, DENSE), []),
        ((POINTWISE, POINTWISE), []),
        ((DEPTHWISE, DEPTHWISE), []),
        ((POINTWISE, replace(DEPTHWISE, stride=2)), []),
        ((replace(DEPTHWISE, stride=2), replace(POINTWISE, height=8)), ["DW-1x1"]),
        (
            (replace(DEPTHWISE, stride=2, height=14), replace(POINTWISE, height=7)),
            [],
        ),  # half of 14 is odd, which the rules exclude
        ((replace(DEPTHWISE, stride=2, height=15), replace(POINTWISE, height=8)), []),
        ((replace(DEPTHWISE, height=1, width=1), replace(POINTWISE, height=1, width=1)), []),
    ],
)
def test_pipelines_that_the_rules_allow(specs: tuple[Spec, ...], found: list[str]) -> None:
    function = Net(specs).function()
    layers = [layer for op in function.walk() if isinstance(op, ConvOp) and (layer := convolution_of(op))]
    assert [run.pattern.name for run in runs(layers)] == found


def test_a_layer_with_another_reader_is_not_pipelined() -> None:
    layers = [
        layer
        for op in Net((POINTWISE, DEPTHWISE), frozenset({1})).function().walk()
        if isinstance(op, ConvOp) and (layer := convolution_of(op))
    ]
    assert not list(runs(layers))
