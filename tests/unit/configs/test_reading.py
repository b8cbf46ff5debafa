"""Config files: facts, defaults, and what is refused, each by one sentence."""

import json
from pathlib import Path
from typing import Any

import pytest

import ndpir
from dialects.diagnostics import InputError
from ndpir.frontends.configs import read_config
from ndpir.frontends.configs.config import Rotation, Scaling
from tests.unit.configs.models import config_of

LLAMA = config_of("llama")


def test_facts_of_llama_follow_from_its_fields() -> None:
    config = read_config(LLAMA)
    assert (config.layers, config.hidden, config.heads, config.kv_heads, config.head_size) == (2, 32, 4, 2, 8)
    assert (config.feed_forward, config.vocabulary, config.norm, config.tied) == (48, 24, "rms", False)
    assert config.rotations == (Rotation(500.0, 8),) * 2
    assert config.windows == (0, 0)
    assert config.dtype == "f32"


@pytest.mark.parametrize(
    ("fields", "windows"),
    [
        (config_of("mistral"), (4, 4)),
        (config_of("mistral") | {"layer_types": ["full_attention", "sliding_attention"]}, (0, 4)),
        (config_of("qwen2") | {"use_sliding_window": True, "sliding_window": 9, "max_window_layers": 1}, (0, 9)),
        (config_of("qwen2") | {"sliding_window": 9, "max_window_layers": 1}, (0, 0)),
        (config_of("gemma2"), (4, 0)),
        (config_of("gemma3_text") | {"sliding_window_pattern": 3}, (4, 4, 0)),
        (
            config_of("qwen2_moe") | {"use_sliding_window": True, "sliding_window": 9, "max_window_layers": 3},
            (9, 0, 9, 0),
        ),
    ],
)
def test_windows_are_those_of_the_layers(fields: dict[str, Any], windows: tuple[int, ...]) -> None:
    assert read_config(fields).windows == windows


def test_rope_parameters_state_what_rope_scaling_and_rope_theta_do() -> None:
    scaling = {"rope_type": "linear", "factor": 4.0}
    old = read_config(LLAMA | {"rope_scaling": scaling})
    new = {name: value for name, value in LLAMA.items() if name != "rope_theta"}
    assert read_config(new | {"rope_parameters": scaling | {"rope_theta": 500.0}}).rotations == old.rotations
    kinds = {"full_attention": {"rope_type": "default", "rope_theta": 7.0}, "sliding_attention": {"rope_theta": 9.0}}
    both = read_config(config_of("gemma2") | {"rope_parameters": kinds})
    assert [each.theta for each in both.rotations if each is not None] == [9.0, 7.0]


def test_long_contexts_have_the_magnitude_that_the_longrope_paper_recommends() -> None:
    scaling = read_config(config_of("phi3 longrope")).rotations[0]
    assert scaling is not None
    assert isinstance(scaling.scaling, Scaling)
    assert scaling.scaling.magnitude == pytest.approx((1 + 1) ** 0.5)  # ln 8 / ln 8


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"model_type": "lama"}, "`model_type` is `lama`, a family that is not known; did you mean `llama`?"),
    ({"hidden_size": None}, "has no field `hidden_size`, which decides what the model computes; add it"),
    ({"hidden_size": "many"}, "field `hidden_size` is not as expected: expected int, got str"),
    ({"hidden_size": 0}, "field `hidden_size` must be a number from 1 on, not 0"),
    ({"hidden_size": True}, "field `hidden_size` is not as expected: expected int, got bool"),
    ({"num_hidden_layers": 1 << 40}, "field `num_hidden_layers` must be a number from 1 on, not 1099511627776"),
    ({"hidden_size": 30}, "hidden size of 30 can't be divided among 4 heads"),
    ({"num_key_value_heads": 3}, "4 heads of queries can't be divided among 3 heads of keys"),
    ({"attention_biass": True}, "`attention_biass` is not known for llama models, and may change what they compute"),
    ({"hidden_act": "sulu"}, "`hidden_act` is `sulu`, which is not known; did you mean `silu`?"),
    ({"torch_dtype": "float12"}, "`torch_dtype` is `float12`, but one of float16, bfloat16, float32 is expected"),
    ({"head_dim": 7}, "turns 7 of the 7 elements of a head, but an even number is needed"),
    ({"rope_theta": 1}, "the base of the config's rotations must be greater than 1, not 1"),
    ({"rope_scaling": {"type": "ntk"}}, "rotations are scaled by `ntk`, a way that is not known"),
    ({"rope_scaling": {"type": "linear"}}, "has no field `factor`"),
    ({"rope_scaling": {"type": "linear", "factor": 2, "fast": 1}}, "has the field `fast`, which is not known"),
    ({"rope_scaling": {"type": "linear", "factor": -2}}, "scaled by a factor of -2, but it must be positive"),
    ({"rope_scaling": []}, "field `rope_scaling` is not as expected: expected object, got array"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_a_config_that_is_not_understood_is_refused_by_a_sentence(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_config(LLAMA | change)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_fields_that_can_not_matter_are_ignored() -> None:
    ignored = {"bos_token_id": 3, "attention_dropout": 0.1, "architectures": ["X"], "unknown": None}
    assert read_config(LLAMA | ignored) == read_config(LLAMA)


UNUSED: dict[str, dict[str, Any]] = {
    "llama": {"is_llama_config": True, "rope_interleaved": False, "transformers.js_config": {}},
    "gemma2": {"hidden_act": "gelu", "sliding_window_size": 4096, "cache_implementation": "hybrid"},
    "phi3": {"lm_head_bias": False, "full_attn_mod": 1, "interpolate_factor": 1},
    "cohere2": {"layer_switch": 4, "use_parallel_embedding": False, "position_embedding_type": "rope_gptj"},
    "gpt2": {"n_special": 0, "predict_special_tokens": True, "summary_type": "cls_index"},
    "opt": {"activation_dropout": 0.0, "prefix": "</s>", "init_std": 0.02},
    "gpt_neox": {"attention_probs_dropout_prob": 0, "hidden_dropout_prob": 0},
}
"""Fields of published files, by case, that no model uses, or that all of the family state alike."""


@pytest.mark.parametrize("case", UNUSED)
def test_published_fields_that_decide_nothing_are_accepted(case: str) -> None:
    assert read_config(config_of(case) | UNUSED[case]) == read_config(config_of(case))


def test_variants_that_are_not_published_are_refused() -> None:
    with pytest.raises(InputError, match="`scale_attn_by_inverse_layer_idx` is True, but only False is supported"):
        read_config(config_of("gpt2") | {"scale_attn_by_inverse_layer_idx": True})
    with pytest.raises(InputError, match="can't choose 9 of 4 experts in 1 of 1 groups"):
        read_config(config_of("mixtral") | {"num_experts_per_tok": 9})
    with pytest.raises(InputError, match="has 1 entries for 2 layers"):
        read_config(config_of("gemma2") | {"layer_types": ["full_attention"]})
    with pytest.raises(InputError, match=r"needs 2 positive numbers, one for each pair that turns"):
        read_config(
            config_of("phi3 longrope") | {"rope_scaling": {"type": "su", "short_factor": [1.0], "long_factor": [1.0]}}
        )


def test_files_are_read_by_path_or_folder_and_named_in_errors(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    assert read_config(tmp_path) == read_config(tmp_path / "config.json") == read_config(LLAMA)
    bad = tmp_path / "bad.json"
    for text, message in (
        ("[1]", "must hold one JSON object"),
        ('{"model_type": 1}', "field `model_type` is not as expected"),
        ('{"a": 1, "a": 2}', 'has "a" twice'),
        ("{", "is not valid JSON"),
        ('{"a": NaN}', "can't contain NaN"),
        ("\xff", "is not valid JSON"),
    ):
        bad.write_text(text)
        with pytest.raises(InputError, match=message) as caught:
            ndpir.read(bad)
        assert str(bad) in str(caught.value)


def test_sizes_of_a_step_are_those_of_a_decoder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))

    def shapes(**sizes: Any) -> list[str]:
        function = next(iter(ndpir.read(tmp_path, **sizes).ops))
        return [str(each) for each in function.body.block.arg_types[:2]]  # pyright: ignore

    assert shapes() == ["tensor<1x1xi64>", "tensor<1x2x63x8xf32>"]
    assert shapes(batch=3, cache_length=9) == ["tensor<3x1xi64>", "tensor<3x2x9x8xf32>"]
    assert shapes(dims={"sequence": 5, "batch": 2}) == ["tensor<2x5xi64>"]
    assert shapes(dims={"sequence": 5, "cache": 2}) == ["tensor<1x5xi64>", "tensor<1x2x2x8xf32>"]
    for sizes, message in (
        ({"dims": {"seq": 2}}, "has no dimension `seq`; did you mean `sequence`?"),
        ({"shapes": {"ids": (1, 2)}}, "`shape` does not apply"),
        ({"opaque": True}, "`opaque` does not apply"),
    ):
        with pytest.raises(InputError, match=message):
            ndpir.read(tmp_path, **sizes)  # pyright: ignore
