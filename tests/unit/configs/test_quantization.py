"""Weights in fewer bits: as published, they stand for the numbers that their files state; as asked for, they are close
to the model's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

from dialects import graph as g
from dialects.diagnostics import InputError
from interp.walk.run import run_module
from ndpir.frontends.configs import Group, build, read_config
from ndpir.frontends.configs.weights import weights_beside
from tests.unit.configs.models import IDS, config_of, published_weights, write_model

Array = NDArray[Any]
Stored = tuple[dict[str, Array], Array]
"""The tensors in which a weight is published, and the numbers that they stand for."""
F8 = ml_dtypes.float8_e4m3fn
F4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
WIDE = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "head_dim": 64,
    "num_attention_heads": 6,
    "num_key_value_heads": 3,
}
"""Sizes that can be divided into blocks, and some rows of weights, of 192 outputs, that can't."""


def in_blocks(name: str, weight: Array) -> Stored:
    """128 by 128 elements have a scale, and the last blocks fewer elements."""
    scales = np.zeros([-(-extent // 128) for extent in weight.shape], np.float32)
    small, wide = np.zeros(weight.shape, F8), np.zeros_like(weight)
    for row, column in np.ndindex(scales.shape):
        at = np.s_[row * 128 : row * 128 + 128, column * 128 : column * 128 + 128]
        scales[row, column] = np.abs(weight[at]).max() / 448
        small[at] = (weight[at] / scales[row, column]).astype(F8)
        wide[at] = small[at].astype(np.float32) * scales[row, column]
    return {name: small, f"{name}_scale_inv": scales}, wide


def by_output(name: str, weight: Array) -> Stored:
    scales = np.abs(weight).max(1, keepdims=True).astype(np.float32) / 448
    small = (weight / scales).astype(F8)
    return {name: small, f"{name}_scale": scales}, small.astype(np.float32) * scales


def whole(name: str, weight: Array) -> Stored:
    scale = np.float32(np.abs(weight).max() / 448)
    small = (weight / scale).astype(F8)
    given = {
        name: small,
        f"{name}_scale": np.array(scale),
        name.replace("weight", "input_scale"): np.array(1 / 32, np.float32),
    }
    return given, small.astype(np.float32) * scale


def packed(name: str, weight: Array) -> Stored:
    """Integers of 4 bits, eight in an element of 32, plus 8."""
    groups = weight.reshape(len(weight), -1, 32)
    scales = np.abs(groups).max(2).astype(np.float32) / 7
    whole = np.clip(np.rint(groups / scales[..., None]), -8, 7)
    eights = (whole + 8).astype(np.uint32).reshape(len(weight), -1, 8)
    words = sum(eights[..., place] << np.uint32(4 * place) for place in range(8))
    given = {name.replace("weight", "weight_packed"): np.asarray(words).view(np.int32), f"{name}_scale": scales}
    return given, (whole * scales[..., None]).reshape(weight.shape).astype(np.float32)


def microscaled(name: str, weight: Array) -> Stored:
    """Floats of 4 bits, two in a byte, with a power of two for each 32 inputs, [experts, outputs, inputs]."""
    groups = np.swapaxes(weight, 1, 2).reshape(len(weight), weight.shape[2], -1, 32)
    powers = np.ceil(np.log2(np.abs(groups).max(3) / 6)).astype(int)
    codes = np.abs((groups / 2.0 ** powers[..., None])[..., None] - F4).argmin(-1).astype(np.uint8)
    given = {
        f"{name}_blocks": codes[..., ::2] | codes[..., 1::2] << 4,
        f"{name}_scales": (powers + 127).astype(np.uint8),
    }
    wide = (F4[codes] * 2.0 ** powers[..., None]).reshape(len(weight), weight.shape[2], -1)
    return given, np.swapaxes(wide, 1, 2).astype(np.float32)


def groups_of(weights: dict[str, Any], inputs: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    group = {"targets": ["Linear"], "weights": weights, "input_activations": inputs}
    return {"quant_method": "compressed-tensors", "ignore": ["lm_head"], "config_groups": {"group_0": group}} | more


FLOATS = {"num_bits": 8, "type": "float"}
METHODS: dict[str, tuple[str, dict[str, Any], Callable[[str, Array], Stored]]] = {
    "fp8 blocks": ("llama", {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}, in_blocks),
    "fbgemm": ("llama", {"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0}, by_output),
    "channels": ("llama", groups_of(FLOATS | {"strategy": "channel"}, FLOATS | {"dynamic": True}), by_output),
    "experts": ("mixtral", groups_of(FLOATS | {"strategy": "channel"}, FLOATS | {"dynamic": True}), by_output),
    "modelopt": ("llama", groups_of(FLOATS, FLOATS, quant_method="modelopt", quant_algo="FP8"), whole),
    "int4": ("llama", groups_of({"num_bits": 4, "type": "int", "group_size": 32}, None), packed),
    "mxfp4": ("gpt_oss", {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}, microscaled),
}


def fields_of(case: str) -> dict[str, Any]:
    more = {"hidden_size": 64, "intermediate_size": 64} if case == "gpt_oss" else WIDE
    return config_of(case) | more | {"torch_dtype": "float32"}


def logits(folder: Path, **more: Any) -> Array:
    source = weights_beside(str(folder / "config.json"))
    return run_module(build(read_config(folder), [Group(2, 7)], source=source, **more), [IDS[:, :7]])[0]


@pytest.mark.parametrize("method", METHODS)
def test_published_weights_stand_for_the_numbers_that_their_files_state(method: str, tmp_path: Path) -> None:
    case, quantization, store = METHODS[method]
    small, wide = dict[str, Array](), dict[str, Array]()
    for name, weight in published_weights(read_config(fields_of(case))).items():
        is_of_experts = ".experts." in name and not name.endswith("_bias")
        stored = is_of_experts if case == "gpt_oss" else is_of_experts or "_proj.weight" in name
        if not stored or (method == "int4" and weight.shape[1] % 32):
            small[name] = wide[name] = weight
            continue
        given, wide[name] = store(name, weight)
        small |= given
    published = write_model(tmp_path / "small", fields_of(case) | {"quantization_config": quantization}, small)
    own = write_model(tmp_path / "wide", fields_of(case), wide)
    assert np.allclose(logits(published, activations="16"), logits(own), rtol=0, atol=1e-6)
    if read_config(published).quantization.activations != "own":  # pyright: ignore
        rounded = logits(published)
        assert 0 < np.abs(rounded - logits(own)).max() < 0.5 * np.abs(rounded).max()


@pytest.mark.parametrize("weights", ["f8", "f8_block", "i4"])
def test_weights_are_converted_from_those_of_the_files(weights: str, tmp_path: Path) -> None:
    fields = config_of("llama") | {"hidden_size": 128, "intermediate_size": 256, "torch_dtype": "float32"}
    own = write_model(tmp_path, fields, published_weights(read_config(fields)))
    near, exact = logits(own, weights=weights), logits(own)
    assert 0 < np.abs(near - exact).max() < (0.6 if weights == "i4" else 0.2) * np.abs(exact).max()


EVEN = {
    "llama": {"head_dim": 32},
    "mixtral": {"head_dim": 32},
    "gpt_oss": {"head_dim": 32},
    "deepseek_v3": {"q_lora_rank": 128, "kv_lora_rank": 128, "v_head_dim": 32, "moe_intermediate_size": 128},
}
"""Sizes that can be divided into blocks of 128."""


@pytest.mark.parametrize("weights", ["f8", "f8_block", "i4", "mxfp4"])
@pytest.mark.parametrize("case", ["llama", "mixtral", "deepseek_v3", "gpt_oss"])
def test_steps_store_their_weights_as_asked(case: str, weights: str) -> None:
    config = read_config(config_of(case) | EVEN.get(case, {}) | {"hidden_size": 128, "intermediate_size": 128})
    module = build(config, [Group(2, 1, 9)], weights=weights, cache="f8")
    types = {"f8": "f8E4M3FN", "f8_block": "f8E4M3FN", "i4": "i4", "mxfp4": "f4E2M1FN"}
    small = [
        op
        for op in module.walk()
        if isinstance(op, g.WeightOp) and str(g.tensor_of(op.y).element_type) == types[weights]
    ]
    assert len(small) > 2 * config.layers
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    assert {str(g.tensor_of(cache).element_type) for cache in function.args[1:]} == {"f8E4M3FN"}
    assert np.isfinite(run_module(module, seed=1)[0]).all()


def test_caches_of_8_bits_are_near_those_of_the_step() -> None:
    config = read_config(config_of("llama"))
    found: list[Array] = []
    for cache in ("own", "f8"):
        prompt = run_module(build(config, [Group(2, 7)], cache=cache), [IDS[:, :7]])
        found.append(run_module(build(config, [Group(2, 1, 7)], cache=cache), [IDS[:, 7:8], *prompt[1:]])[0])
    assert 0 < np.abs(found[0] - found[1]).max() < 0.1 * np.abs(found[0]).max()


def test_modelopt_states_its_way_beside_the_config(tmp_path: Path) -> None:
    folder = write_model(tmp_path, config_of("llama"), {})
    beside = folder / "hf_quant_config.json"
    beside.write_text(
        '{"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}}'
    )
    config = read_config(folder)
    assert config.narrow_caches
    assert config.quantization is not None
    assert (config.quantization.rows, config.quantization.activations) == (0, "tensor")
    stated = {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}
    assert read_config(config_of("llama") | {"quantization_config": stated}) == config
    beside.write_text('{"quantization": {"quant_algo": "NVFP4"}}')
    with pytest.raises(InputError, match="stored as 'NVFP4'"):
        read_config(folder)


REFUSED = [
    ({"quant_method": "bitsandbytes"}, "quantized by 'bitsandbytes', which is not supported; known are awq"),
    ({"quant_method": "gptq", "bits": 3, "group_size": 128}, "weights of gptq must have 4 bits"),
    ({"quant_method": "fp8", "fmt": "e3m4"}, "floats of the kind 'e3m4'"),
    ({"quant_method": "fp8", "weight_block_size": [0, 128]}, "is not as expected: expected int >= 1"),
    ({"quant_method": "fp8", "moe_quant_algo": "NVFP4"}, "the field `moe_quant_algo`, which is not known"),
    ({"quant_method": "compressed-tensors"}, "must have one group of modules"),
    (groups_of({"num_bits": 4, "type": "int", "actorder": "group"}, None), "stored in the order 'group'"),
    (groups_of({"num_bits": 3, "type": "int"}, None), "ints of 3 bits"),
    (groups_of(FLOATS, {"num_bits": 8, "type": "int"}), "scales what weights multiply to another type"),
    (groups_of(FLOATS, FLOATS, ignore=["re:(a+)+b"]), "of which only `.*` is understood"),
    (groups_of(FLOATS, FLOATS, kv_cache_scheme={"num_bits": 4, "type": "int"}), "caches as floats of 8 bits"),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "message"), REFUSED)
def test_ways_that_are_not_known_are_refused_by_a_sentence(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_config(config_of("llama") | {"quantization_config": stated})
    assert message in caught.value.message


def test_activations_of_8_bits_need_weights_of_8_bits() -> None:
    config = read_config(config_of("llama"))
    with pytest.raises(InputError, match="need weights of 8 bits"):
        build(config, [Group(1, 1)], activations="f8")
    with pytest.raises(InputError, match="need weights of 8 bits"):
        build(config, [Group(1, 1)], weights="i4", activations="f8")


def test_files_of_gptq_are_not_read(tmp_path: Path) -> None:
    stated = {"quant_method": "gptq", "bits": 4, "group_size": 32}
    weights = published_weights(read_config(config_of("llama")))
    name = "model.layers.0.self_attn.q_proj.qweight"
    folder = write_model(
        tmp_path, config_of("llama") | {"quantization_config": stated}, weights | {name: np.zeros(3, np.int32)}
    )
    with pytest.raises(InputError, match="as gptq lays it out, which can't be read; leave them out"):
        logits(folder)
