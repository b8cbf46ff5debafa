"""Results of complete models, with random weights from seeds, compared with those of an independent runtime;
`benchmarks/model_numbers.py` compares all models."""

import pytest

from benchmarks.model_numbers import MODELS, compare

pytest.importorskip("onnxruntime")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "mnasnet1_0",
        "mobilenet_v2",
        "efficientnet_b0",
        "resnet18_dynbatch",
        "resnet50_f16",
        "bert_2layer_opset23",
        "bert_2layer_torchscript17",
        "gpt2_2layer_bf16",
    ],
)
def test_numbers(name: str) -> None:
    """The tolerance is 1e-5 of the largest output in f32, and 2e-2 in f16 and bf16."""
    row = compare(MODELS / f"{name}.onnx", {"b": 2} if name == "resnet18_dynbatch" else None)
    assert row.error <= row.bound
