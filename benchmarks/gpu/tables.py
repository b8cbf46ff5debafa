"""Tables and JSON of a GPU model's errors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table

from benchmarks.gpu.bars import LEAST_RANK, WORST, Bar, Score, Verdict, verdicts

FEW = 200
"""The errors of a class with fewer measurements are marked as uncertain."""
_BASELINES = ("roofline", "two constants")


def bar_table(scores: Sequence[Score], bars: Sequence[Bar]) -> Table:
    """Return a table with a row per bar: the errors of the model and of the baselines, and the verdict. `median`: of
    the groups; `of rows`: the model's mean over all measurements."""
    counts = ("rows",) if _all_kept(scores) else ("fitted", "held out")
    heads = ("class", "GPUs", "groups", *counts, *_BASELINES, "model", "median", "of rows", "bar", "bias", "verdict")
    heads = (*heads, "worst group", "least rank")
    table = _table(*heads, title="errors: mean over groups of the mean absolute error, %")
    for verdict in verdicts(scores, bars):
        worst, least = verdict.worst, verdict.least_rank
        table.add_row(
            verdict.bar.name,
            str(len({score.gpu for score in verdict.scores})),
            str(len(verdict.scores)),
            *_counts(verdict.scores),
            *(_number(verdict.mean(name)) for name in _BASELINES),
            *(_number(verdict.mean()), f"{verdict.median:.1f}", f"{verdict.of_rows:.1f}"),
            f"{verdict.bar.mape:g}" if verdict.bar.mape else "-",
            f"{verdict.bias:+.1f}",
            _verdict(verdict),
            f"{worst.model.mape:.1f} {worst.name}",
            f"{least.model.rank:.3f} {least.name}",
        )
    return table


def _all_kept(scores: Sequence[Score]) -> bool:
    """True if no rows were skipped; none are skipped if the rows of the fits are in a different directory."""
    return all(score.left_out is None for score in scores)


def _counts(scores: Sequence[Score]) -> tuple[str, ...]:
    """Return the cells of two numbers: of the skipped rows, which a fit used, if it is known; and of the evaluated
    rows."""
    count = sum(score.model.count for score in scores)
    evaluated = f"{count} (few)" if count < FEW and len(scores) > 1 else str(count)
    return (evaluated,) if _all_kept(scores) else (str(sum(score.left_out or 0 for score in scores)), evaluated)


def _verdict(verdict: Verdict) -> str:
    if not verdict.bar.mape:
        return "no bar"
    return "; ".join(verdict.misses) or "✓"


def group_table(scores: Sequence[Score]) -> Table:
    """Return a table with a row per group: the errors of the model and of the baselines."""
    counts = ("kernels",) if _all_kept(scores) else ("fitted", "held out")
    table = _table("set", "GPU", "library", "type", "op", *counts, *_BASELINES, "model", "median", "bias", "rank")
    for score in scores:
        model = score.model
        table.add_row(
            *(score.source, score.gpu, score.library or "-", score.element, score.label, *_counts([score])),
            *(_number(score.errors[name].mape if name in score.errors else None) for name in _BASELINES),
            *(f"{model.mape:.1f}", f"{model.median:.1f}", f"{model.bias:+.1f}", f"{model.rank:.4f}"),
        )
    return table


def as_json(scores: Sequence[Score], bars: Sequence[Bar]) -> str:
    """Return the contents of both tables and the fitted constants as JSON."""
    classes = [
        {
            "class": verdict.bar.name,
            "bar": verdict.bar.mape or None,
            "gpus": len({score.gpu for score in verdict.scores}),
            "rows": verdict.rows,
            "model": verdict.mean(),
            "median": verdict.median,
            "of_rows": verdict.of_rows,
            **{name: verdict.mean(name) for name in _BASELINES},
            "worst": {"group": verdict.worst.name, "mape": verdict.worst.model.mape, "limit": WORST * verdict.bar.mape},
            "least_rank": {
                "group": verdict.least_rank.name,
                "rank": verdict.least_rank.model.rank,
                "limit": LEAST_RANK,
            },
            "bias": verdict.bias,
            "misses": verdict.misses,
        }
        for verdict in verdicts(scores, bars)
    ]
    return json.dumps({"classes": classes, "groups": [asdict(score) for score in scores]}, indent=1)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _table(*heads: str, title: str | None = None) -> Table:
    """Return an empty table with the given column heads, as plain text without borders; numbers are right-aligned."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    words = {"set", "GPU", "library", "type", "op", "class", "worst group", "least rank", "verdict"}
    for head in heads:
        if head in words:
            table.add_column(head, overflow="fold")
        else:
            table.add_column(head, justify="right", no_wrap=True, min_width=max(len(head), 5))
    return table
