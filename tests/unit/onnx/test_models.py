"""Tests of the import of complete models: twenty of examples/models and nine of the onnx package, with the expected
number of multiply-accumulates."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import onnx
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dialects import graph as g
from dialects.locations import text_of
from ndpir.frontends.onnx import import_onnx

MODELS = Path(__file__).parents[3] / "examples" / "models"
LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"

# Multiply-accumulates per model. They agree with published figures: MobileNetV2 0.301 G, EfficientNet-B0 0.386 G,
# MnasNet
# 0.314 G, ResNet-50 4.089 G, VGG-16 15.470 G, BERT-base on 128 tokens 11.174 G, GPT-2 small on 128 tokens 16.114 G.
MACS = {
    "bert_2layer_opset23": 1_862_860_800,
    "bert_2layer_torchscript17": 1_862_860_800,
    "bert_base": 11_174_215_680,
    "bert_base_sdpa": 11_174_215_680,
    "efficientnet_b0": 385_814_752,
    "efficientnet_b0_bn": 385_814_752,
    "gpt2": 16_114_089_984,
    "gpt2_2layer_bf16": 6_802_735_104,
    "gpt2_2layer_torchscript17": 6_802_735_104,
    "gpt2_decode_kv255": 128_250_624,
    "llama2_7b_decode_kv511_f16": 6_741_295_104,
    "llama2_7b_prefill128_f16": 850_000_871_424,
    "llama3_8b_decode_kv511_f16": 7_638_876_160,
    "mnasnet1_0": 314_415_872,
    "mobilenet_v2": 300_774_272,
    "resnet18_dynbatch": 1_814_073_344,
    "resnet50": 4_089_184_256,
    "resnet50_bn": 4_089_184_256,
    "resnet50_f16": 4_089_184_256,
    "vgg16": 15_470_264_320,
}
LIGHT_MACS = {
    "light_bvlc_alexnet": 654_560_384,
    "light_densenet121": 2_834_161_664,
    "light_inception_v1": 1_431_556_352,
    "light_inception_v2": 2_018_851_840,
    "light_resnet50": 4_089_184_256,
    "light_shufflenet": 124_664_528,
    "light_squeezenet": 349_151_936,
    "light_vgg19": 19_632_062_464,
    "light_zfnet512": 1_481_727_008,
}


def imported(path: Path, **dims: int) -> ModuleOp:
    module = import_onnx(str(path), dims)
    module.verify()
    return module


def macs(module: ModuleOp) -> int:
    return sum(op.work().macs for op in module.walk() if isinstance(op, g.GraphOp))


def test_a_number_of_multiply_accumulates_is_listed_for_every_model() -> None:
    assert {path.stem for path in MODELS.glob("*.onnx")} == MACS.keys()
    assert {path.stem for path in LIGHT.glob("*.onnx")} == LIGHT_MACS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", MACS)
def test_a_model_of_the_examples_is_imported(name: str) -> None:
    dims = {"b": 1} if name == "resnet18_dynbatch" else {}
    module = imported(MODELS / f"{name}.onnx", **dims)
    assert macs(module) == MACS[name]
    ops = [op for op in module.walk() if isinstance(op, g.GraphOp)]
    assert all(text_of(op.location) for op in ops)
    names = Counter(op.sym.data for op in ops if isinstance(op, g.WeightOp))
    assert max(names.values()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", LIGHT_MACS)
def test_a_model_of_the_onnx_package_is_imported(name: str) -> None:
    """The models have opset 9. Their weights are ConstantOfShape nodes of megabytes, each of which is imported as a
    single number."""
    assert macs(imported(LIGHT / f"{name}.onnx")) == LIGHT_MACS[name]


def test_a_symbolic_batch_size_is_bound() -> None:
    module = imported(MODELS / "resnet18_dynbatch.onnx", b=8)
    assert macs(module) == 8 * MACS["resnet18_dynbatch"]


def test_batch_norms_are_imported_and_shape_arithmetic_is_folded() -> None:
    """The import of an export without folding has one batch norm per convolution, and no ops of shape arithmetic."""
    ops = Counter(type(op) for op in imported(MODELS / "resnet50_bn.onnx").walk())
    assert ops[g.ConvOp] == ops[g.BatchNormOp] == 53
    assert ops[g.CastOp] == ops[g.BroadcastOp] == ops[g.ConcatOp] == 0


def test_arguments_and_results_have_the_model_s_order() -> None:
    """Initialisers that are also listed as inputs do not become arguments."""
    function = next(iter(imported(MODELS / "gpt2_decode_kv255.onnx").ops))
    assert isinstance(function, FuncOp)
    assert function.sym_name.data == "main"
    assert len(function.function_type.inputs) == 26
    assert [text_of(argument.location) for argument in function.body.block.args][:3] == ["ids", "pos", "kv_0"]
    light = next(iter(imported(LIGHT / "light_squeezenet.onnx").ops))
    assert isinstance(light, FuncOp)
    assert len(light.function_type.inputs) == 1
