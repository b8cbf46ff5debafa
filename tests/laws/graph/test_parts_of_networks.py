"""Convolutional networks with shortcuts, squeezes and poolings keep their numbers if ops are split into parts and
pipelined in stages, separately and nested."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from dialects import graph as g
from dialects.element_types import tensor_type
from dialects.graph import GraphOp, shape_of
from dialects.graph.properties import integer, real
from interp.walk.run import run_module
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.partition.shards.chain import ChainPass, chain_region
from lowering.partition.shards.parts import splittable_axes
from lowering.partition.shards.split import split_op
from ndpir.cli.check import error_of
from tests.laws.graph.programs import F32
from tests.laws.graph.test_parts_of_programs import one_of, ops_of, parts

TOLERANCE = 1e-4


class Network:
    """A function of one image that grows layer by layer."""

    def __init__(self, draw: DrawFn) -> None:
        self.draw = draw
        shape = (draw(st.integers(1, 2)), 4, draw(st.integers(6, 13)), draw(st.integers(6, 13)))
        self.block = Block(arg_types=[tensor_type(shape, F32)])
        self.image: SSAValue = self.block.args[0]

    def add(self, op: GraphOp) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def weight(self, *shape: int) -> SSAValue:
        count = sum(1 for _ in self.block.ops)
        source = g.UniformAttr(real(-0.4), real(0.4), integer(count))
        return self.add(g.WeightOp(f"w{count}", source, tensor_type(shape, F32)))

    def conv(self, x: SSAValue, filters: int, kernel: int, groups: int = 1) -> SSAValue:
        stride = self.draw(st.integers(1, 2)) if kernel > 1 and min(shape_of(x)[2:]) > 3 else 1
        pads = [kernel // 2] * 4
        w = self.weight(filters, shape_of(x)[1] // groups, kernel, kernel)
        return self.add(g.ConvOp(x, w, groups=groups, pads=pads, strides=[stride, stride]))

    def layer(self) -> None:
        before, channels = self.image, shape_of(self.image)[1]
        match self.draw(st.sampled_from(("conv", "pointwise", "depthwise", "pool", "squeeze", "add", "shuffle"))):
            case "conv":
                y = self.conv(before, 4, 3)
            case "pointwise":
                y = self.conv(before, self.draw(st.sampled_from((4, 8))), 1)
            case "depthwise":
                y = self.conv(before, channels, self.draw(st.sampled_from((3, 5))), channels)
            case "pool" if min(shape_of(before)[2:]) > 3:
                kind = self.draw(st.sampled_from(("max", "mean")))
                y = self.add(g.PoolOp(before, kind=kind, kernel=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]))
            case "squeeze":
                mean = self.add(g.ReduceOp(before, kind="mean", axes=[2, 3], keep_dims=True))
                inner = self.add(g.SiluOp(self.conv(mean, 2, 1)))
                y = self.add(g.MulOp(before, self.add(g.SigmoidOp(self.conv(inner, channels, 1)))))
            case "add":
                y = self.add(g.AddOp(self.add(g.TanhOp(self.conv(before, channels, 1))), before))
            case _:
                turned = self.add(g.TransposeOp(before, permutation=[0, 2, 3, 1]))
                y = self.add(g.TransposeOp(turned, permutation=[0, 3, 1, 2]))
        self.image = self.add(g.TanhOp(y)) if self.draw(st.booleans()) else y

    def module(self) -> ModuleOp:
        self.block.add_op(ReturnOp(self.image))
        return ModuleOp([FuncOp("main", ([self.block.args[0].type], [self.image.type]), Region(self.block))])


@composite
def networks(draw: DrawFn) -> ModuleOp:
    network = Network(draw)
    for _ in range(draw(st.integers(2, 7))):
        network.layer()
    module = network.module()
    if draw(st.booleans()):
        FusePass().apply(Context(), module)
    return module


def check(old: ModuleOp, new: ModuleOp) -> None:
    for _ in range(2):
        new.verify()
        assert error_of(run_module(old, seed=5)[0], run_module(new, seed=5)[0]) <= TOLERANCE
        CanonicalizePass().apply(Context(), new)


@pytest.mark.slow
@given(networks(), st.sampled_from((0, 1, 2, 3)), st.integers(2, 4), st.data())
def test_networks_in_stages_and_parts(old: ModuleOp, axis: int, stages: int, data: st.DataObject) -> None:
    new = old.clone()
    region = ops_of(new)
    for pieces in chain_region(region, axis, stages) or [[op] for op in region]:
        piece = one_of(data, pieces)
        axes = splittable_axes(piece)
        if axes and data.draw(st.booleans()):
            along = data.draw(st.sampled_from(axes))
            split_op(piece, along, parts(data, shape_of(piece.results[0])[along]), follow=False)
    check(old, new)


@pytest.mark.slow
@given(networks(), st.sampled_from((2, 3)), st.integers(2, 4))
def test_chains_of_networks(old: ModuleOp, axis: int, stages: int) -> None:
    new = old.clone()
    ChainPass(axis, stages, ("conv", "pool", "transpose")).apply(Context(), new)
    check(old, new)
