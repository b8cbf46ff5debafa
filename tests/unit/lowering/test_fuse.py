"""Tests of fusion on real networks: it gives the expected number of kernels and does not change results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Float16Type, ModuleOp, i1

import ndpir
from dialects.diagnostics import notes_to
from dialects.element_types import dtype_of
from dialects.graph import AttentionOp, ConvOp, MatmulOp, shape_of, tensor_of
from interp.walk.entry import ahead_of_time, entry_of, functions, is_graph_op
from interp.walk.views import is_view
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.graph.precision import ReducePrecisionPass
from ndpir.cli.check import Checker
from ndpir.frontends.onnx import import_onnx

MODELS = Path(__file__).parents[3] / "examples" / "models"
LIT = Path(__file__).parents[2] / "lit" / "lowering" / "fuse"

KERNELS = {  # for each model, the number of kernels after import, and after canonicalize and fuse
    "bert_2layer_opset23": (54, 33),
    "bert_2layer_torchscript17": (71, 35),
    "bert_base": (323, 187),
    "bert_base_sdpa": (371, 187),
    "efficientnet_b0": (238, 115),
    "efficientnet_b0_bn": (287, 115),
    "gpt2": (344, 199),
    "gpt2_2layer_bf16": (64, 39),
    "gpt2_2layer_torchscript17": (64, 37),
    "gpt2_decode_kv255": (401, 173),
    "llama2_7b_decode_kv511_f16": (1874, 519),
    "llama2_7b_prefill128_f16": (1746, 519),
    "llama3_8b_decode_kv511_f16": (1938, 519),
    "mnasnet1_0": (99, 54),
    "mobilenet_v2": (99, 54),
    "resnet18_dynbatch": (48, 23),
    "resnet50": (121, 56),
    "resnet50_bn": (174, 56),
    "resnet50_f16": (121, 56),
    "vgg16": (37, 22),
}


def imported(name: str) -> ModuleOp:
    return import_onnx(str(MODELS / f"{name}.onnx"), {"b": 1} if "dynbatch" in name else {})


def kernels(module: ModuleOp) -> int:
    """The number of ops that a device runs: all but views and ops computed ahead of time."""
    count = 0
    for function in functions(module):
        block = function.body.block
        early = ahead_of_time(block)
        count += sum(is_graph_op(op) and op not in early and not is_view(op) for op in block.ops)
    return count


@pytest.mark.slow
@pytest.mark.parametrize(("name", "expected"), KERNELS.items())
def test_models_become_few_kernels(name: str, expected: tuple[int, int]) -> None:
    module = imported(name)
    before = kernels(module)
    for each in (CanonicalizePass(), FusePass()):
        each.apply(Context(), module)
        module.verify()
    assert (before, kernels(module)) == expected
    first_result = str(module)
    FusePass().apply(Context(), module)
    assert str(module) == first_result


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name in KERNELS if "f16" not in name))
def test_reduced_precision_reaches_all_contractions(name: str) -> None:
    module = imported(name)
    with notes_to(lambda message, place: None):
        for each in (CanonicalizePass(), FusePass(), ReducePrecisionPass("f16")):
            each.apply(Context(), module)
    module.verify()
    for op in module.walk():
        if isinstance(op, MatmulOp | ConvOp | AttentionOp):
            assert tensor_of(op.operands[0]).element_type == Float16Type()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mnasnet1_0", "resnet18_dynbatch", "bert_2layer_torchscript17", "gpt2_2layer_bf16"])
def test_results_of_small_networks_stay_the_same(name: str) -> None:
    module, lines = imported(name), list[str]()
    checker = Checker(seed=3, report=lines.append)
    checker.before(module)
    with notes_to(lambda message, place: None):
        for each in (CanonicalizePass(), FusePass(), ReducePrecisionPass("f16")):
            each.apply(Context(), module)
            checker.after(each.name, module)
    assert [line.split(":")[1].strip() for line in lines] == ["canonicalize", "fuse", "reduce-precision"]


@pytest.mark.parametrize("size", [1.0, 1000.0])
@pytest.mark.parametrize("name", ["main", "bare", "prefill", "padded", "shared"])
def test_fused_attention_computes_the_results_of_the_original_ops(name: str, size: float) -> None:
    """The inputs include scores so large that one key gets all weight, and a sequence whose keys are all masked."""
    text = (LIT / "attention.mlir").read_text()
    written, fused = (ndpir.parse(text, "attention.mlir") for _ in range(2))
    FusePass(attention=True).apply(Context(), fused)
    random = np.random.default_rng(0)
    inputs = [
        (random.integers(0, 2, shape_of(argument)) > 0)
        if (kind := tensor_of(argument).element_type) == i1
        else (random.uniform(-1, 1, shape_of(argument)) * size).astype(dtype_of(kind))
        for argument in entry_of(written, name).body.block.args
    ]
    for array in inputs:
        if array.dtype == np.bool_:
            array[0] = False
    (expected,), (found,) = (ndpir.run(module, inputs, entry=name) for module in (written, fused))
    allowed = size * (2e-3 if expected.dtype == np.float16 else 2e-6)
    assert np.abs(found.astype(np.float64) - expected.astype(np.float64)).max() <= allowed  # false if one is nan


def test_scores_that_pass_through_thousands_of_additions_are_not_fused() -> None:
    sums = "".join(f"%a{i + 1} = graph.add %a{i}, %q : tensor<2x3x3xf32>\n" for i in range(2000))
    text = f"""func.func @main(%q: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {{
      %a0 = graph.matmul %q, %q transpose_b : tensor<2x3x3xf32>
      {sums} %c = graph.softmax %a2000 : tensor<2x3x3xf32>
      %y = graph.matmul %c, %q : tensor<2x3x3xf32>
      func.return %y : tensor<2x3x3xf32> }}"""
    module = ndpir.parse(text, "sums.mlir")
    FusePass(attention=True, group=False).apply(Context(), module)
    assert not any(isinstance(op, AttentionOp) for op in module.walk())
