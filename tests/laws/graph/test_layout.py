"""Laws of the pass `layout`: it changes no value and makes no program slower, a second run changes nothing, and slices
and concatenations that it turns into views stay views on every level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dialects.diagnostics import notes_to
from dialects.graph import ConcatOp, SliceOp
from dialects.pim import LaunchOp
from interp.simulate.simulation import simulate
from interp.walk.run import run_module
from interp.walk.views import is_view
from lowering.banks.templates import clock_for
from lowering.banks.to_pim import ToPimPass
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.graph.layout import LayoutPass
from lowering.partition.shards.chain import ChainPass
from lowering.partition.shards.split import SplitPass
from lowering.place.place import PlacePass
from tests.programs import parse

MACHINE = """
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_simd"
hw.link @gpu to @pim = "toy_link" {latency = "10 ns"}
"""


@composite
def networks(draw: DrawFn) -> ModuleOp:
    """A small convolutional network, fused or not, whose ops may be split into shards or pipelined in stages."""
    batch, channels, rows = draw(st.sampled_from([(1, 2, 6), (1, 1, 5), (2, 2, 4), (1, 4, 1)]))
    extents = f"{batch}x{channels}x{rows}x{rows}xf32"
    lines, values = list[str](), ["%x"]
    for index in range(draw(st.integers(1, 6))):
        name, value = f"%v{index}", draw(st.sampled_from(values[-2:]))
        kind = draw(st.sampled_from(["conv", "depthwise", "relu", "add", "pool", "join"]))
        if kind in ("conv", "depthwise"):
            weight = f"{channels}x{channels if kind == 'conv' else 1}x3x3xf32"
            groups = f"groups = {channels}, " if kind == "depthwise" else ""
            lines.append(f'%w{index} = graph.weight "w{index}" = uniform(-1.0, 1.0, {index}) : tensor<{weight}>')
            lines.append(
                f"{name} = graph.conv {value}, %w{index} {groups}pads = [1, 1, 1, 1]"
                f" : tensor<{extents}>, tensor<{weight}>"
            )
        elif kind == "relu":
            lines.append(f"{name} = graph.relu {value} : tensor<{extents}>")
        elif kind == "add":
            lines.append(f"{name} = graph.add {value}, {draw(st.sampled_from(values))} : tensor<{extents}>")
        elif kind == "pool":
            lines.append(f"{name} = graph.pool max {value} kernel = [3, 3], pads = [1, 1, 1, 1] : tensor<{extents}>")
        else:
            other = draw(st.sampled_from(values))
            lines.append(
                f"%j{index} = graph.concat {value}, {other} axis = {draw(st.integers(1, 2))} : tensor<{extents}>"
            )
            cut = f"starts = [0, 0, 0, 0], ends = [{batch}, {channels}, {rows}, {rows}]"
            joined = lines[-1].split("axis = ")[1][0]
            double = f"{batch}x{channels * (1 + (joined == '1'))}x{rows * (1 + (joined == '2'))}x{rows}xf32"
            lines.append(f"{name} = graph.slice %j{index} {cut} : tensor<{double}>")
        values.append(name)
    text = "\n".join(lines)
    result = f"{values[-1]} : tensor<{extents}>"
    if draw(st.booleans()):
        text += f"\n%m = graph.reshape {values[-1]} : tensor<{extents}> -> tensor<{batch}x{channels * rows * rows}xf32>"
        result = f"%m : tensor<{batch}x{channels * rows * rows}xf32>"
    value, type_ = result.split(" : ")
    module = parse(
        f"{MACHINE}func.func @main(%x: tensor<{extents}>) -> {type_} {{\n{text}\nfunc.return {value} : {type_}\n}}"
    )
    parts: ModulePass = draw(
        st.sampled_from([SplitPass(axis=2), SplitPass(axis=1), SplitPass(op="pool"), ChainPass(2, 2), ChainPass(2, 3)])
    )
    return after(module, *draw(st.sampled_from([(parts,), (parts, FusePass()), (FusePass(),), ()])))


def after(module: ModuleOp, *passes: ModulePass) -> ModuleOp:
    """A copy of a module after some passes, each verified."""
    module = module.clone()
    with notes_to(lambda _message, _place: None):
        for each in passes:
            each.apply(Context(), module)
            module.verify()
    return module


def makespan(module: ModuleOp) -> float:
    return simulate(module, clock_for(module)).makespan_ns


@pytest.mark.slow
@given(networks(), st.sampled_from(["gpu", "pim-first", "optimal"]))
def test_no_value_changes(module: ModuleOp, policy: str) -> None:
    placed = after(module, LayoutPass(), PlacePass(policy, effort=1 if policy == "optimal" else 2))
    for old, new in zip(run_module(module), run_module(placed), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.slow
@given(networks())
def test_no_program_is_slower(module: ModuleOp) -> None:
    laid = after(module, LayoutPass())
    assert makespan(laid) <= makespan(module)
    assert makespan(after(laid, PlacePass("gpu"))) == makespan(laid)
    memory = [simulate(each, clock_for(each)).memory["gpu"].live for each in (laid, module)]
    assert memory[0] <= memory[1] or makespan(laid) < makespan(module)


@given(networks())
def test_a_second_run_changes_nothing(module: ModuleOp) -> None:
    once = after(module, LayoutPass())
    assert str(after(once, LayoutPass())) == str(once)


@pytest.mark.slow
@given(networks(), st.sampled_from(["gpu", "pim-first", "greedy", "optimal"]))
def test_a_view_stays_one_through_placement_and_bank_programs(module: ModuleOp, policy: str) -> None:
    laid = after(module, CanonicalizePass(), LayoutPass())  # a search may place the canonical form, which has fewer ops
    placed = after(laid, PlacePass(policy, effort=1 if policy == "optimal" else 2))
    views = count(laid)
    assert count(placed) == views
    lowered = after(placed, ToPimPass())
    assert makespan(lowered) == makespan(placed)
    if not any(isinstance(op, LaunchOp) for op in lowered.walk()):
        assert count(lowered) == views


def count(module: ModuleOp) -> int:
    return sum(isinstance(op, SliceOp | ConcatOp) and is_view(op) for op in module.walk())
