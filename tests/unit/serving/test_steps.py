"""Steps from few layers, compared with steps of all layers; and the answers that are made of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dialects.diagnostics import InputError, notes_to
from ndpir.compiler.compilation import Request
from ndpir.frontends.configs import Group, read_config
from ndpir.serving.answer import answered
from ndpir.serving.models import ConfigModel, ExportedModel
from ndpir.serving.question import Question
from ndpir.serving.steps import AGREES, LayerChoice, Steps, figures_of

TINY = Path(__file__).parents[2] / "lit" / "ndpir" / "serve" / "Inputs" / "tiny.json"
MODEL = ConfigModel(read_config(str(TINY)))


def steps_on(machine: str, passes: str = "plan", effort: int | None = 1) -> Steps:
    return Steps(MODEL, Request(passes, machine, effort=effort))


def whole(steps: Steps, *groups: Group) -> dict[str, float]:
    ((_, program),) = Steps(_Undivided(steps.model.config), steps.request).programs(groups)  # pyright: ignore
    return dict(figures_of(program))


class _Undivided(ConfigModel):
    @property
    def layers(self) -> tuple[object, ...]:
        return ()


@pytest.mark.parametrize(
    ("machine", "groups"),
    [
        ("h100_sxm", (Group(4, 1, 100),)),
        ("h100_sxm", (Group(2, 64),)),
        ("h100_sxm", (Group(4, 1, 100), Group(1, 32))),
        pytest.param("a100-newton", (Group(4, 1, 100),), marks=pytest.mark.slow),
    ],
)
def test_few_layers_tell_all(machine: str, groups: tuple[Group, ...]) -> None:
    steps = steps_on(machine)
    found, expected = steps.figures(*groups), whole(steps, *groups)
    assert steps.counted["whole"] == 0
    for name in ("ns", "nj", "kernels", *(name for name in expected if name.startswith(("memory", "states", "part")))):
        assert found[name] == pytest.approx(expected[name], rel=2 * AGREES), name


def test_choice_of_layers() -> None:
    choice = LayerChoice.of("ab" * 12, 1)
    assert choice is not None
    assert (choice.base, choice.check) == ((0, 1), (0, 1, 2, 3, 4, 5))
    assert choice.more == {"a": (0, 1, 2), "b": (0, 1, 3)}
    assert choice.left == {"a": 11, "b": 11}
    assert LayerChoice.of("aaa", 1) is None


def test_figures_are_sums_over_layers() -> None:
    kinds = "a" * 15 + "b"
    choice = LayerChoice.of(kinds, 1)
    assert choice is not None

    def time(kept: Sequence[int]) -> dict[str, float]:
        return {"ns": 100.0 + sum({"a": 10.0, "b": 3.0}[kinds[n]] for n in kept)}

    more = {kind: time(kept) for kind, kept in choice.more.items()}
    assert choice.agrees(time(choice.base), more, time(choice.check))
    assert choice.extrapolated(time(choice.base), more)["ns"] == 100.0 + 15 * 10.0 + 3.0
    assert not choice.agrees(time(choice.base), more, {"ns": 200.0})


def question(machine: str = "h100_sxm", **more: Any) -> Question:
    passes, effort = ("gpu-only", None) if "-" not in machine else ("plan", 1)
    return Question((str(TINY),), Request(passes, machine, effort=effort), prompts=(64,), outputs=(16,), **more)


@pytest.mark.slow
def test_answer_beside_the_gpu_alone() -> None:
    """The answer for the GPU alone equals that of the same question on the GPU."""
    with notes_to(lambda message, place: None):
        (beside,) = answered(question("a100-newton"), MODEL, "tiny").points
        (alone,) = answered(question("a100"), MODEL, "tiny").points
    assert beside.rates is not None
    assert beside.alone is not None
    assert alone.rates is not None
    assert alone.rates.token_ns == pytest.approx(beside.alone.token_ns, rel=2e-2)
    assert beside.speed_up == pytest.approx(beside.rates.tokens_per_s / beside.alone.tokens_per_s)


def test_answer() -> None:
    with notes_to(lambda message, place: None):
        answer = answered(question(batches=(1, 4), dollars_per_hour=3.6), MODEL, "tiny")
    one, four = answer.points
    assert one.rates is not None
    assert four.rates is not None
    assert one.rates.first_ns is not None
    assert four.rates.tokens_per_s > one.rates.tokens_per_s
    assert one.rates.tokens_per_s == pytest.approx(16e9 / (one.rates.first_ns + 15 * one.rates.token_ns))
    assert one.rates.dollars_per_million == pytest.approx(1e3 / one.rates.tokens_per_s)
    layers, both, heads, elements, width, tokens = 12, 2, 2, 64, 2, 79
    assert sum(one.states.values()) == layers * both * heads * elements * width * tokens


def test_a_batch_that_does_not_fit_names_the_largest() -> None:
    with notes_to(lambda message, place: None):
        asked = question(batches=(1 << 20,))
        (point,) = answered(asked, MODEL, "tiny").points
        assert point.error is not None
        assert f"the largest batch of this length that fits is {point.largest_batch}" in point.error
        (fits,) = answered(question(batches=(point.largest_batch,)), MODEL, "tiny").points
    assert fits.error is None


def test_an_exported_graph_needs_a_graph_of_prompts() -> None:
    model = ExportedModel("decode.onnx")
    with pytest.raises(InputError, match="no graph of prompts is given"):
        model.program([Group(1, 8)])


@pytest.mark.parametrize(
    "wrong", [{"batches": (0,)}, {"least": 0.0}, {"requests": 3, "batches": (4,)}, {"engine": "no_such"}]
)
def test_wrong_questions(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        answered(question(**wrong), MODEL, "tiny")
