"""The attentions of the example models are all found, with their caches, heads and masks; a note names the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects import graph as g
from dialects.diagnostics import notes_to
from interp.kinds.gpu.kernel_clock import KernelClock
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device
from interp.walk.run import run_module
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.graph.inline import InlinePass
from lowering.graph.rules.written import write_out

MODELS = Path("examples/models")
FOUND = {
    "bert_2layer_opset23.onnx": (2, "1x12x128x64, 12 heads of keys"),
    "bert_2layer_torchscript17.onnx": (2, "1x12x128x64, 12 heads of keys"),
    "bert_base.onnx": (12, "1x12x128x64, 12 heads of keys"),
    "bert_base_sdpa.onnx": (12, "1x12x128x64, 12 heads of keys"),
    "gpt2.onnx": (12, "1x12x128x64, 12 heads of keys, causal"),
    "gpt2_2layer_bf16.onnx": (2, "1x12x128x64, 12 heads of keys, causal"),
    "gpt2_2layer_torchscript17.onnx": (2, "1x12x128x64, 12 heads of keys, causal"),
    "gpt2_decode_kv255.onnx": (12, "1x12x1x64, 12 heads of keys"),
    "llama2_7b_decode_kv511_f16.onnx": (32, "1x32x1x128, 32 heads of keys"),
    "llama2_7b_prefill128_f16.onnx": (32, "1x32x128x128, 32 heads of keys, causal"),
    "llama3_8b_decode_kv511_f16.onnx": (32, "1x32x1x128, 8 heads of keys"),
}
"""The number of attentions of each model, and the form of each."""
NONE = {"efficientnet_b0", "efficientnet_b0_bn", "mnasnet1_0", "mobilenet_v2", "resnet18_dynbatch"} | {
    "resnet50", "resnet50_bn", "resnet50_f16", "vgg16"
}  # fmt: skip
"""Models without attention."""


def recognised(module: ModuleOp) -> ModuleOp:
    for each in (InlinePass(), CanonicalizePass()):
        each.apply(Context(), module)
    FusePass(attention=True).recognise(module)
    return module


def attentions(module: ModuleOp) -> list[g.AttentionOp]:
    return [op for op in module.walk() if isinstance(op, g.AttentionOp)]


def form(op: g.AttentionOp) -> str:
    sizes = "x".join(map(str, g.shape_of(op.q)))
    return f"{sizes}, {g.shape_of(op.k)[1]} heads of keys" + (", causal" if op.causal.value.data else "")


def test_each_model_is_listed() -> None:
    assert {path.name for path in MODELS.glob("*.onnx")} == set(FOUND) | {f"{name}.onnx" for name in NONE}


@pytest.mark.parametrize("name", FOUND)
def test_all_attentions_of_a_model_are_found(name: str) -> None:
    module = recognised(ndpir.read(str(MODELS / name)))
    found = attentions(module)
    assert (len(found), {form(op) for op in found}) == (FOUND[name][0], {FOUND[name][1]})
    assert not any(isinstance(op, g.SoftmaxOp) for op in module.walk())


def kernel_of(op: g.AttentionOp, gpu: str = "a100") -> list[tuple[str, dict[str, float]]]:
    sheet = load_device(gpu)
    assert isinstance(sheet, Gpu)
    return [(timed.kernel.kernel_class, dict(timed.kernel.numbers)) for timed in KernelClock(sheet).timed(op)]


def test_a_decode_with_grouped_heads_is_a_decode_kernel_that_reads_each_cache_once() -> None:
    module = recognised(ndpir.read(str(MODELS / "llama3_8b_decode_kv511_f16.onnx")))
    [(kernel_class, numbers)] = kernel_of(attentions(module)[0])
    assert kernel_class == "decode"
    wanted = {"batch": 1, "queries": 1, "keys": 512, "heads": 32, "kv_heads": 8, "head": 128, "bytes": 2}
    assert {name: numbers[name] for name in wanted} == wanted


def attention_of(words: str, batch: int, queries: int, keys: int, element: str = "f16") -> g.AttentionOp:
    """An attention of four heads of 64 elements; %n are lengths from 1 on."""
    q, k = (f"tensor<{batch}x4x{length}x64x{element}>" for length in (queries, keys))
    lengths = f"%n = graph.constant {[*range(1, batch + 1)]} : tensor<{batch}xi64>"
    operands, types = ("%q, %k, %k, %n", f"{q}, {k}, {k}, tensor<{batch}xi64>")
    if "%n" not in words:
        operands, types = "%q, %k, %k", f"{q}, {k}, {k}"
    words = words.replace("%n", "")
    body = f"{lengths}\n %y = graph.attention {operands} {words} : {types}\n func.return"
    text = f"func.func @main(%q: {q}, %k: {k}) {{ {body} }}"
    return attentions(ndpir.parse(text))[0]


def test_a_window_is_timed_by_the_keys_that_it_shows() -> None:
    [(kernel_class, numbers)] = kernel_of(attention_of("window = 16", 1, 1, 512))
    assert (kernel_class, numbers["keys"]) == ("decode", 16)
    [(kernel_class, numbers)] = kernel_of(attention_of("causal, window = 16", 1, 310, 310))
    pairs = 310 * 16 - 16 * 15 / 2
    assert (kernel_class, numbers["batch"], numbers["queries"]) == ("prefill", 10, 31)
    assert numbers["keys"] - (31 - 1) / 2 == pytest.approx(pairs / 310)


def test_known_lengths_are_summed_over_sequences() -> None:
    whole, short = attention_of("", 3, 1, 8), attention_of("%n", 3, 1, 8)
    assert short.work().macs * 8 * 3 == whole.work().macs * (1 + 2 + 3)
    assert short.work().read - 3 * 8 < whole.work().read / 2
    [(_, numbers)] = kernel_of(short)
    assert numbers["keys"] == 2


def test_attention_without_fused_kernels_takes_the_time_of_written_out_kernels() -> None:
    text = """func.func @main(%q: tensor<1x8x64x32xf32>, %k: tensor<1x8x64x32xf32>, %v: tensor<1x8x64x32xf32>)
        -> tensor<1x8x64x32xf32> {
      %a = graph.matmul %q, %k transpose_b : tensor<1x8x64x32xf32>
      %w = graph.softmax %a : tensor<1x8x64x64xf32>
      %y = graph.matmul %w, %v : tensor<1x8x64x64xf32>, tensor<1x8x64x32xf32>
      func.return %y : tensor<1x8x64x32xf32>
    }"""
    sheet = load_device("a100")
    assert isinstance(sheet, Gpu)
    clock = KernelClock(sheet)
    written, fused = ndpir.parse(text), recognised(ndpir.parse(text))
    ops = [op for op in written.walk() if isinstance(op, g.MatmulOp | g.SoftmaxOp)]
    assert sum(cost.ns for cost in clock.costs(ops)) == pytest.approx(clock.costs(attentions(fused))[0].ns)
    assert [name for name, _ in kernel_of(attentions(fused)[0])] == ["gemm", "softmax", "gemm"]


@pytest.mark.parametrize("words", ["", ", scale = 0.5, softcap = 3.0", ", window = 4"])
def test_attention_with_sinks_over_caches_is_written_out(words: str) -> None:
    text = f"""func.func @main(%q: tensor<2x8x1x4xf32>, %k: tensor<2x4x8x4xf32>, %v: tensor<2x4x8x4xf32>,
        %n: tensor<2x4x1x4xf32>, %s: tensor<8xf32>) -> tensor<2x8x1x4xf32> {{
      %keys = graph.concat %k, %n axis = 2, in_place : tensor<2x4x8x4xf32>, tensor<2x4x1x4xf32>
      %values = graph.concat %v, %n axis = 2, in_place : tensor<2x4x8x4xf32>, tensor<2x4x1x4xf32>
      %y = graph.attention %q, %keys, %values, %s sinks{words}
          : tensor<2x8x1x4xf32>, tensor<2x4x9x4xf32>, tensor<2x4x9x4xf32>, tensor<8xf32>
      func.return %y : tensor<2x8x1x4xf32>
    }}"""
    written = ndpir.parse(text)
    write_out(written)
    assert not attentions(written)
    for ours, theirs in zip(run_module(written, seed=3), run_module(ndpir.parse(text), seed=3), strict=True):
        assert np.allclose(ours, theirs, atol=1e-6)


def test_a_note_names_what_is_not_found_and_why() -> None:
    text = """func.func @main(%q: tensor<4x3x16xf32>, %v: tensor<4x3x16xf32>)
        -> (tensor<4x3x16xf32>, tensor<4x3x16xf32>, tensor<4x3x3xf32>) {
      %low = graph.constant -100.0 : tensor<f32>
      %seen = graph.constant [[true, false, false], [true, true, false], [true, true, true]] : tensor<3x3xi1>
      %a = graph.matmul %q, %q transpose_b : tensor<4x3x16xf32>
      %w = graph.softmax %a : tensor<4x3x3xf32>
      %y = graph.matmul %w, %v : tensor<4x3x3xf32>, tensor<4x3x16xf32>
      %b = graph.matmul %y, %v transpose_b : tensor<4x3x16xf32>
      %c = graph.select %seen, %b, %low : tensor<3x3xi1>, tensor<4x3x3xf32>, tensor<f32>
      %x = graph.softmax %c : tensor<4x3x3xf32>
      %z = graph.matmul %x, %v : tensor<4x3x3xf32>, tensor<4x3x16xf32>
      func.return %y, %z, %w : tensor<4x3x16xf32>, tensor<4x3x16xf32>, tensor<4x3x3xf32>
    }"""
    said: list[str] = []
    with notes_to(lambda message, place: said.append(message)):
        ndpir.compile(ndpir.parse(text), "fuse{attention=true}")
    assert said == [
        "@main: 1 product of softmax weights is no graph.attention: the scores or weights are read by func.return, too",
        "@main: 1 product of softmax weights is no graph.attention: a mask replaces scores by -100, which other scores "
        "may reach",
    ]
