"""Decoding: what a step of a language model costs on a GPU, and where its caches lie beside a PIM."""

from __future__ import annotations

from pathlib import Path

import pytest

import ndpir
from dialects.element_types import byte_count
from dialects.task import OnType
from interp.walk.entry import entry_of, states_of

MODELS = Path(__file__).parents[3] / "examples" / "models"
KV = """
hw.device @gpu = "h100_sxm"
hw.device @pim = "attacc" {channels = 80}
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s"}
func.func @main(%q: tensor<512x1x128xf16>, %past: tensor<512x2047x128xf16>, %new: tensor<512x1x128xf16>)
    -> (tensor<512x1x2048xf16>, tensor<512x2048x128xf16>) {
  %k = graph.concat %past, %new axis = 1 : tensor<512x2047x128xf16>, tensor<512x1x128xf16>
  %t = graph.transpose %k permutation = [0, 2, 1] : tensor<512x2048x128xf16>
  %s = graph.matmul %q, %t : tensor<512x1x128xf16>, tensor<512x128x2048xf16>
  func.return %s, %k : tensor<512x1x2048xf16>, tensor<512x2048x128xf16>
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "cache", "least_ms", "most_ms"),
    [("llama2_7b_decode_kv511_f16", 2047, 0.85 * 13, 1.15 * 13), ("llama3_8b_decode_kv511_f16", 1279, 7.5, 8.9)],
)
def test_a_step_on_a_gpu_reads_weights_and_caches_once(model: str, cache: int, least_ms: float, most_ms: float) -> None:
    """The weights and one read of the caches at full bandwidth take 9.2 ms for the first; an engine's step with the
    second takes 8.35 ms."""
    read = ndpir.read(MODELS / f"{model}.onnx", batch=16, cache_length=cache)
    step = ndpir.simulate(ndpir.compile(read, "gpu-only", machine="h100_sxm"))
    assert least_ms < step.makespan_ns / 1e6 < most_ms


def test_a_cache_lies_in_the_banks_that_multiply_by_it_without_marks() -> None:
    placed = ndpir.compile(ndpir.parse(KV, "kv.mlir"), "offload")
    assert ndpir.simulate(placed).makespan_ns < 22e3  # 280 us if the cache crosses the link in each step
    assert str(entry_of(placed).args[1].type).startswith("!task.on<@pim")


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["h100_sxm", "h100-newton", "h100-aim", "h100-hbm_pim", "h100-attacc"])
def test_no_kernel_or_copy_of_a_decoder_works_on_a_whole_cache(machine: str) -> None:
    placed = ndpir.compile(MODELS / "gpt2_decode_kv255.onnx", "offload", machine=machine)
    states = [state.type for state in states_of(entry_of(placed))]
    assert len(states) == 24
    least = min(byte_count(each.tensor if isinstance(each, OnType) else each) for each in states)  # pyright: ignore[reportArgumentType]
    for event in ndpir.simulate(placed).events:
        words = event.name.partition(" ")[0].split("+")
        if {"copy", "concat", "transpose", "slice"}.intersection(words):
            assert event.cost.bytes < least, event.name
