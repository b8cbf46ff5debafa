"""Steps from few layers, compared with steps of all layers; and the answers that are made of them."""

from pathlib import Path

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
    layers = ()  # pyright: ignore[reportAssignmentType]


@pytest.mark.parametrize("machine", ["h100_sxm", "a100-newton"])
@pytest.mark.parametrize("groups", [(Group(4, 1, 100),), (Group(2, 64),), (Group(4, 1, 100), Group(1, 32))])
def test_few_layers_tell_all(machine: str, groups: tuple[Group, ...]) -> None:
    steps = steps_on(machine)
    found, expected = steps.figures(*groups), whole(steps, *groups)
    assert steps.counted["whole"] == 0
    for name in ("ns", "nj", "kernels", *(name for name in expected if name.startswith(("memory", "states", "part")))):
        assert found[name] == pytest.approx(expected[name], rel=2 * AGREES), name


def test_choice_of_layers() -> None:
    choice = LayerChoice.of("ababababab", 1)
    assert choice is not None
    assert (choice.base, choice.check) == ((0, 1), (0, 1, 2, 3, 4, 5))
    assert choice.more == {"a": (0, 1, 2), "b": (0, 1, 3)}
    assert choice.left == {"a": 4, "b": 4}
    assert LayerChoice.of("aaa", 1) is None


def test_figures_are_sums_over_layers() -> None:
    choice = LayerChoice.of("aaaaaaab", 1)
    assert choice is not None
    time = lambda kept: {"ns": 100.0 + sum({"a": 10.0, "b": 3.0}["aaaaaaab"[n]] for n in kept)}  # noqa: E731
    more = {kind: time(kept) for kind, kept in choice.more.items()}
    assert choice.agrees(time(choice.base), more, time(choice.check))
    assert choice.extrapolated(time(choice.base), more)["ns"] == 100.0 + 7 * 10.0 + 3.0
    assert not choice.agrees(time(choice.base), more, {"ns": 200.0})


def question(machine: str = "a100-newton", **more: object) -> Question:
    return Question((str(TINY),), Request("plan", machine, effort=1), prompts=(64,), outputs=(16,), **more)  # pyright: ignore[reportArgumentType]


def test_answer() -> None:
    with notes_to(lambda message, place: None):
        answer = answered(question(batches=(1, 4), dollars_per_hour=3.6), MODEL, "tiny")
    one, four = answer.points
    assert one.rates is not None and four.rates is not None and one.alone is not None
    assert four.rates.tokens_per_s > one.rates.tokens_per_s
    assert one.rates.first_ns is not None
    assert one.rates.tokens_per_s == pytest.approx(16e9 / (one.rates.first_ns + 15 * one.rates.token_ns))
    assert one.rates.dollars_per_million == pytest.approx(1e3 / one.rates.tokens_per_s)
    assert one.speed_up == pytest.approx(one.rates.tokens_per_s / one.alone.tokens_per_s)
    assert (
        sum(one.states.values()) == 12 * 2 * 2 * 64 * 2 * 80
    )  # layers, keys and values, heads, elements, bytes, tokens


def test_the_gpu_alone_is_no_slower_by_itself() -> None:
    """What an answer says of the GPU alone is what the same question says on the GPU."""
    with notes_to(lambda message, place: None):
        (beside,) = answered(question(), MODEL, "tiny").points
        (alone,) = answered(question("a100"), MODEL, "tiny").points
    assert beside.alone is not None and alone.rates is not None
    assert alone.rates.token_ns == pytest.approx(beside.alone.token_ns, rel=2e-2)


def test_a_batch_that_does_not_fit_names_the_largest() -> None:
    with notes_to(lambda message, place: None):
        asked = question("toy", batches=(1 << 20,))
        (point,) = answered(asked, MODEL, "tiny").points
        assert point.error is not None
        assert f"the largest batch of this length that fits is {point.largest_batch}" in point.error
        (fits,) = answered(question("toy", batches=(point.largest_batch,)), MODEL, "tiny").points
    assert fits.error is None


def test_an_exported_graph_needs_a_graph_of_prompts() -> None:
    model = ExportedModel("decode.onnx")
    with pytest.raises(InputError, match="no graph of prompts is given"):
        model.program([Group(1, 8)])


@pytest.mark.parametrize(
    "wrong", [{"batches": (0,)}, {"least": 0.0}, {"requests": 3, "batches": (4,)}, {"engine": "no_such"}]
)
def test_wrong_questions(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        answered(question(**wrong), MODEL, "tiny")
