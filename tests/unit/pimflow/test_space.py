"""Tests of PIMFlow's search space on the five CNNs: the number of pipelines of each type follows its published rules,
and the rows of each split add up to the layer's."""

from __future__ import annotations

from collections import Counter

import pytest

import ndpir
from dialects.graph import shape_of
from interp.walk.entry import functions, is_graph_op
from lowering.partition.pimflow.space import PERCENTS, Convolution, connected_of, convolution_of, runs

# For each model, the numbers of pipelines that PIMFlow's rules allow (1x1-DW, DW-1x1, 1x1-DW-1x1), counted by hand from
# pipeline/extract_layers.py, of convolutions, and of fully connected layers.
EXPECTED = {
    "mobilenet_v2": ((12, 16, 12), 52, 1),
    "mnasnet1_0": ((12, 16, 12), 52, 1),
    "efficientnet_b0": ((11, 0, 0), 81, 1),
    "resnet50": ((0, 15, 0), 53, 1),
    "vgg16": ((0, 0, 0), 13, 3),
}


def layers(model: str) -> tuple[list[Convolution], int]:
    module = ndpir.compile(ndpir.read(f"examples/models/{model}.onnx"), "canonicalize,fuse{residual=false}")
    ops = [op for op in functions(module)[0].body.block.ops if is_graph_op(op)]
    return [layer for op in ops if (layer := convolution_of(op)) is not None], sum(map(connected_of, ops))


@pytest.mark.parametrize("model", EXPECTED)
def test_numbers_of_pipelines_and_rows_of_splits(model: str) -> None:
    pipelines, convolutions, connected = EXPECTED[model]
    found, fully = layers(model)
    assert (len(found), fully) == (convolutions, connected)
    types = Counter(run.pattern.name for run in runs(found))
    assert (types["1x1-DW"], types["DW-1x1"], types["1x1-DW-1x1"]) == pipelines
    for layer in found:
        height, width = shape_of(layer.conv.y)[2:]
        for percent in PERCENTS:
            rows = layer.rows(percent)
            if rows is not None:
                split = layer.layer().split(percent)
                assert split is not None
                assert rows + split[1].pixels // width == height
