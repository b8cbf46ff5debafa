"""Steps of all families of language models: their values are those of transformers, and published configs have the
published numbers of parameters."""

import json
from dataclasses import replace
from math import prod
from pathlib import Path

import numpy as np
import pytest

from dialects import graph as g
from ndpir.frontends.configs import Group, build, read_config
from ndpir.frontends.configs.families import FAMILIES
from ndpir.frontends.examples import examples
from tests.unit.configs.models import CASES, EXPECTED, config_of, logits_of

WANTED = json.loads(EXPECTED.read_text())
PUBLISHED = {
    "bloom_176b": 176_247_271_424,
    "deepseek_v2_lite": 15_706_484_224,
    "deepseek_v3": 671_026_419_200,
    "falcon_7b": 6_921_720_704,
    "gemma2_9b": 9_241_705_984,
    "gpt2_small": 124_439_808,
    "gpt_neox_20b": 20_554_567_680,
    "gpt_oss_120b": 116_829_156_672,
    "gpt_oss_20b": 20_914_757_184,
    "llama2_70b": 68_976_648_192,
    "llama2_7b": 6_738_415_616,
    "llama3.1_405b": 405_853_388_800,
    "llama3.1_70b": 70_553_706_496,
    "llama3.1_8b": 8_030_261_248,
    "mistral_7b": 7_241_732_096,
    "mixtral_8x7b": 46_702_792_704,
    "opt_30b": 29_974_540_288,
    "phi3_mini": 3_821_079_552,
    "phi4": 14_659_507_200,
    "qwen2.5_7b": 7_615_616_512,
    "qwen3_235b_a22b": 235_093_634_560,
    "qwen3_30b_a3b": 30_532_122_624,
    "qwen3_32b": 32_762_123_264,
    "qwen3_8b": 8_190_735_360,
}
"""Numbers of parameters, as the published files of the models have them."""


@pytest.mark.parametrize("case", CASES)
def test_logits_are_those_of_transformers(case: str) -> None:
    for ours, theirs in zip(logits_of(read_config(config_of(case))), WANTED[case], strict=True):
        wanted = np.array(theirs)
        assert np.abs(ours - wanted).max() <= 1e-5 * np.abs(wanted).max()


def test_each_family_has_a_case() -> None:
    others = {"gemma3", "kimi_k2"}  # gemma3_text inside of another config, and deepseek_v3 by another name
    assert {case.split()[0] for case in CASES} == set(FAMILIES) - others


@pytest.mark.parametrize("name", PUBLISHED)
def test_configs_have_the_published_number_of_parameters(name: str) -> None:
    config = read_config(examples()[name])
    step = build(config, [Group(1, 1, 7)], weights=config.dtype)
    assert sum(prod(g.shape_of(op.y)) for op in step.walk() if isinstance(op, g.WeightOp)) == PUBLISHED[name]


@pytest.mark.parametrize(
    "path", [path for path in examples().values() if path.suffix == ".json"], ids=lambda path: path.stem
)
def test_steps_of_examples_verify(path: Path) -> None:
    config = read_config(path)
    first = replace(config, layers=6, windows=config.windows[:6])  # dense ones, those with experts, and all windows
    for group in (Group(2, 1, 300), Group(1, 200)):
        build(first, [group]).verify()


def test_wrapped_and_renamed_families_are_those_inside() -> None:
    text = config_of("gemma3_text")
    outer = read_config({"model_type": "gemma3", "text_config": text, "vision_config": {"depth": 3}})
    assert np.allclose(logits_of(outer)[0].std(), logits_of(read_config(text))[0].std(), rtol=0.5)
    assert outer.names["head"] == "language_model.lm_head.weight"
    assert outer.windows == read_config(text).windows
    kimi = read_config(config_of("deepseek_v3") | {"model_type": "kimi_k2"})
    assert np.array_equal(logits_of(kimi)[0], logits_of(read_config(config_of("deepseek_v3")))[0])
