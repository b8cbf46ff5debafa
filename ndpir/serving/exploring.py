"""Questions over axes: the answers of `ndp-serve` for several machines, engines, pipelines and numbers of data sheets,
as rows of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from ndpir.diagnostics.usage import UsageError
from ndpir.serving.answer import Answer, Point, answered
from ndpir.serving.question import Question
from ndpir.serving.steps import StepModel
from ndpir.sweep.axes import Axis, Value
from ndpir.sweep.journal import Row

LATENCY, THROUGHPUT, ENERGY = "token_ns", "tokens_per_s", "energy_per_token_nj"
"""The figures of the Pareto front of answers: time per token, tokens per second, energy per token."""


def explored(
    question: Question, axes: Sequence[Axis], model: StepModel, name: str
) -> Iterator[tuple[Mapping[str, Value], Answer]]:
    """The answer for each combination of the axes' values, with these values. Raises UsageError for an axis that a
    question does not have."""
    for axis in axes:
        if not axis.values:
            raise UsageError(f"{axis.name}: ndp-serve answers for single values; write them as {axis.name}=1..8")
    for values in product(*(axis.values for axis in axes)):
        point = dict(zip((axis.name for axis in axes), values, strict=True))
        yield point, answered(_at(question, point), model, name)


def _at(question: Question, point: Mapping[str, Value]) -> Question:
    """The question at a point of the axes."""
    for name, value in point.items():
        request = question.request
        head, _, rest = name.partition(".")
        match name:
            case "machine":
                request = replace(request, machine=str(value))
            case "library":
                request = replace(request, library=str(value))
            case "passes":
                request = replace(request, passes=str(value))
            case "O":
                request = replace(request, effort=int(value))
            case "engine":
                question = replace(question, engine=str(value))
            case _ if head == "engine":
                question = replace(question, engine_settings={**question.engine_settings, rest: value})
            case _ if rest and head not in ("dim", "shape"):
                request = replace(request, settings=(*request.settings, f"{name}={value}"))
            case _:
                known = "machine, engine, library, passes, O, engine.FIELD and NAME.FIELD of a data sheet"
                raise UsageError(f"ndp-serve has no axis `{name}`; it has {known}, and --batch, --prompt, --output")
        question = replace(question, request=request)
    return question


def rows_of(answers: Sequence[tuple[Mapping[str, Value], Answer]]) -> list[Row]:
    """The points of answers as rows of a sweep, which reports and tables take."""
    each = [(axes, answer, point) for axes, answer in answers for point in answer.points]
    return [
        Row(
            number,
            {
                **({} if "machine" in axes else {"machine": answer.machine}),
                **axes,
                "batch": point.batch,
                "prompt": point.prompt,
                "output": point.output,
            },
            _figures(point),
            point.error or "",
            0.0,
        )
        for number, (axes, answer, point) in enumerate(each)
    ]


def _figures(point: Point) -> dict[str, float | int | str | None]:
    rates, alone = point.rates, point.alone
    if rates is None:
        return {"largest_batch": point.largest_batch}
    return {
        "first_ns": rates.first_ns,
        LATENCY: rates.token_ns,
        THROUGHPUT: rates.tokens_per_s,
        ENERGY: rates.nj_per_token,
        "dollars_per_million": rates.dollars_per_million,
        "alone_first_ns": None if alone is None else alone.first_ns,
        "alone_token_ns": None if alone is None else alone.token_ns,
        "alone_tokens_per_s": None if alone is None else alone.tokens_per_s,
        "alone_energy_per_token_nj": None if alone is None else alone.nj_per_token,
        "alone_fits": None if alone is None else int(point.alone_fits),
        "speed_up": point.speed_up,
        "above_bound": point.above,
        "largest_batch": point.largest_batch,
        **{f"part_ns.{name}": ns for name, ns in point.parts.items()},
        **{f"memory_bytes.{name}": nbytes for name, nbytes in point.memory.items()},
    }
