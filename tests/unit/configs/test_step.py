"""Steps: groups of sequences, caches, rings, types, and weights from published files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.func import FuncOp

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.task import State
from interp.walk.entry import noted_arguments
from interp.walk.run import run_module
from lowering.graph.state import StatePass
from ndpir.frontends.configs import Group, build, read_config
from ndpir.frontends.configs.weights import weights_beside
from tests.unit.configs.models import IDS, config_of, logits_of, published_weights, write_model


@pytest.mark.parametrize("case", ["llama", "mistral", "llama dynamic", "gpt2", "bloom", "deepseek_v3", "mixtral"])
def test_groups_of_a_step_do_not_change_each_other(case: str) -> None:
    config = read_config(config_of(case))
    prompt = run_module(build(config, [Group(2, 7)]), [IDS[:, :7]])
    decoded = run_module(build(config, [Group(2, 1, 7)]), [IDS[:, 7:8], *prompt[1:]])
    other = run_module(build(config, [Group(1, 4)]), [IDS[:1, :4]])
    mixed = run_module(build(config, [Group(2, 1, 7), Group(1, 4)]), [IDS[:, 7:8], IDS[:1, :4], *prompt[1:]])
    wanted: NDArray[Any] = np.concatenate([decoded[0], other[0]])
    assert np.allclose(mixed[0], wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())
    assert [each.shape for each in mixed[1:]] == [each.shape for each in (*decoded[1:], *other[1:])]


def test_all_logits_end_with_those_of_the_last_tokens() -> None:
    config = read_config(config_of("qwen3"))
    every = run_module(build(config, [Group(2, 5)], all_logits=True), [IDS[:, :5]])[0]
    last = run_module(build(config, [Group(2, 5)]), [IDS[:, :5]])[0]
    assert np.allclose(every.reshape(2, 5, -1)[:, -1], last, atol=1e-6)


def function_of(case: str, group: Group, **more: Any) -> FuncOp:
    (function,) = build(read_config(config_of(case)), [group], **more).ops
    assert isinstance(function, FuncOp)
    return function


def states(function: FuncOp) -> list[str]:
    found = [State.of(notes) for _, notes in noted_arguments(function)]
    return [state.text for state in found if state is not None]


def test_caches_are_states_that_grow_in_place() -> None:
    function = function_of("llama", Group(1, 1, 9))
    assert states(function) == [f"appended, result {number}" for number in (1, 2, 3, 4)]
    StatePass().apply(Context(), function.parent_op())  # pyright: ignore
    assert sum(g.appends(op) for op in function.walk()) == 4


def test_a_window_keeps_a_ring_of_what_the_next_token_sees() -> None:
    function = function_of("gemma2", Group(1, 1, 9))  # a window of 4 in the first layer
    kept = [g.shape_of(value)[2] for value in function.body.block.args[1:]]
    assert kept == [3, 3, 9, 9]
    assert [type_.get_shape()[2] for type_ in function.function_type.outputs.data[1:]] == [3, 3, 10, 10]  # pyright: ignore
    StatePass().apply(Context(), function.parent_op())  # pyright: ignore
    assert len(states(function)) == 4


def test_a_ring_that_fills_within_a_step_is_written_anew() -> None:
    function = function_of("mistral", Group(1, 3, 2))
    assert states(function)[0] == "free"
    StatePass().apply(Context(), function.parent_op())  # pyright: ignore


def test_a_step_of_more_tokens_than_a_window_overwrites_its_ring() -> None:
    function = function_of("mistral", Group(1, 5, 9))
    assert states(function)[0] == "overwritten, result 1"
    StatePass().apply(Context(), function.parent_op())  # pyright: ignore


def test_sequences_of_any_length_come_from_windows_of_one() -> None:
    config = read_config(config_of("mistral") | {"sliding_window": 1})
    (logits,) = run_module(build(config, [Group(2, 1, 9)]), [IDS[:, :1]])
    assert logits.shape == (2, 24)


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("case", ["llama", "gpt2", "mixtral", "gpt_oss", "deepseek_v3"])
def test_weights_come_from_published_files(case: str, parts: int, tmp_path: Path) -> None:
    config = read_config(config_of(case))
    weights = published_weights(config)
    if case == "gpt2":  # files of GPT-2 are those of its base model
        weights = {name.removeprefix("transformer."): array for name, array in weights.items()}
    folder = write_model(tmp_path, config_of(case) | {"torch_dtype": "float32"}, weights, parts)
    source = weights_beside(str(folder / "config.json"))
    drawn, read = logits_of(config), logits_of(read_config(folder), source)
    assert all(np.array_equal(a, b) for a, b in zip(drawn, read, strict=True))


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    weights = published_weights(read_config(config_of("llama")))
    name = "model.layers.1.mlp.up_proj.weight"
    cut = {each: array for each, array in weights.items() if each != name}
    for found, message in (
        (cut, f"the weight `{name}` of the model is in no file"),
        (
            cut | {name: np.zeros((3, 3), np.float32)},
            r"has the shape \[3, 3\], but the config's facts make it \[48, 32\]",
        ),
    ):
        folder = write_model(tmp_path, config_of("llama"), found)
        with pytest.raises(InputError, match=message):
            build(read_config(folder), [Group(1, 1)], source=weights_beside(str(folder / "config.json")))


def test_an_index_names_files_beside_it_only(tmp_path: Path) -> None:
    folder = write_model(tmp_path, config_of("llama"), published_weights(read_config(config_of("llama"))), 2)
    index = folder / "model.safetensors.index.json"
    index.write_text(index.read_text().replace("model-00001.safetensors", "../x.safetensors"))
    with pytest.raises(InputError, match="but files lie beside the index"):
        build(read_config(folder), [Group(1, 1)], source=weights_beside(str(folder / "config.json")))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([], "needs at least one group"),
        ([Group(0, 1)], "at least one sequence, one new token"),
        ([Group(1, 0, 4)], "at least one sequence, one new token"),
        ([Group(1, 1, -1)], "no negative number of cached ones, not 1, 1 and -1"),
        ([Group(1 << 40, 1, 1 << 20)], "is too large for a step"),
    ],
)
def test_groups_that_make_no_step_are_refused(groups: list[Group], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(read_config(config_of("llama")), groups)


@pytest.mark.parametrize("words", [{"weights": "f9"}, {"cache": "f4"}, {"activations": "f16"}, {"dtype": "i8"}])
def test_words_that_are_not_known_are_refused(words: dict[str, str]) -> None:
    with pytest.raises(InputError, match="must be"):
        build(read_config(config_of("llama")), [Group(1, 1)], **words)  # pyright: ignore
