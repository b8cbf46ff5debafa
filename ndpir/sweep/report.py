"""The report of a sweep: one HTML page with tables and plots, which can be opened from disk and needs no network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import LiteralString

from interp.figures import percent
from ndpir.reports.columns import Figure
from ndpir.reports.markup import NOTHING, Markup, joined, markup, page_policy
from ndpir.sweep.analysis import (
    GREATER_IS_BETTER,
    failure_text,
    failures,
    number_in,
    number_text,
    pareto,
    sensitivities,
    shown,
)
from ndpir.sweep.drawing import STYLE, effects_plot, pareto_plot
from ndpir.sweep.journal import Row, axes_in, figures_in
from ndpir.sweep.remarks import remarks

MOST_ROWS = 2000
"""The largest number of rows in the table of all points; with more rows, the page would be slow."""
_STYLE = Markup("""
:root{--text:#1a2330;--back:#fff;--muted:#64748b;--line:#dde3ea;--accent:#0b62c4;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--text:#e4e9f0;--back:#12171e;--muted:#93a1b3;--line:#2b3440;--accent:#6fb1ff}}
@media print{:root{--text:#000;--back:#fff;--muted:#555;--line:#ccc;--accent:#004a9f}.scroll{max-height:none!important}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back)}
body{max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:right}
td,th{white-space:nowrap}td.text,th.text{text-align:left}td.long{white-space:normal;min-width:24rem}
th{position:sticky;top:0;background:var(--back)}.scroll{overflow:auto;max-height:28rem}
svg{width:100%;max-width:56rem;height:auto}h2{margin-top:2rem}p.note{color:var(--muted)}
""")


def report_html(source: str, rows: Sequence[Row], front: Sequence[str], effect: str) -> Markup:
    """The page for the results of the file `source`. `front`: the figures of the Pareto front; `effect`: the figure for
    which the effects of all axes are shown."""
    good, failed = [row for row in rows if not row.error], [row for row in rows if row.error]
    axes = axes_in(rows)
    best = pareto(good, front)
    parts = [
        markup("<h1>Sweep {}</h1>", source),
        markup("<p>{} points over {}; {} failed.</p>", len(rows), ", ".join(axes), len(failed)),
        *(markup("<p>{}</p>", remark) for remark in remarks(good, effect)),
        *_best(good, [*front, effect]),
    ]
    if good:
        parts += [
            markup(
                "<h2>Pareto front</h2><p>{} points that no other beats in {} (in frames in the plot; a point's "
                "tooltip has its values).</p>{}",
                len(best),
                " and ".join(front),
                _more(len(best)),
            ),
            pareto_plot(good, front).svg(),
            _table(
                [*axes, *front],
                ([*map(row.point.get, axes), *(number_in(row, name) for name in front)] for row in best[:MOST_ROWS]),
            ),
            markup("<h2>Effect of each axis on {}</h2>", effect),
            effects_plot(good, effect).svg(),
            _table(
                ["axis", "best at", "mean", "worst at", "mean", "explains", "elasticity"],
                (
                    [
                        each.axis,
                        each.best,
                        each.best_mean,
                        each.worst,
                        each.worst_mean,
                        percent(each.explained),
                        "none" if each.elasticity is None else f"{each.elasticity:+.3f}",
                    ]
                    for each in sensitivities(good, effect)
                ),
            ),
            markup(
                '<p class="note">“Explains”: the part of the variance that the axis alone explains. “Elasticity”: the '
                "relative change of the figure for a relative change of the axis, all other axes fixed.</p>"
            ),
        ]
        figures = figures_in(good)
        parts.append(markup("<h2>All points</h2>{}", _more(len(good))))
        parts.append(
            _table(
                [*axes, *figures],
                ([*map(row.point.get, axes), *map(row.figures.get, figures)] for row in good[:MOST_ROWS]),
            )
        )
    if failed:
        groups = failures(failed)
        parts.append(markup("<h2>Failed points</h2>{}", _more(len(groups))))
        parts.append(
            _table(["points", "error"], ([failure_text(each), each.error] for each in groups[:MOST_ROWS]), long="error")
        )
    style = joined([_STYLE, STYLE])
    return markup(_PAGE, policy=page_policy(style), source=source, style=style, parts=joined(parts))


_PAGE: LiteralString = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1">{policy}'
    "<title>Sweep {source}</title><style>{style}</style></head><body><main>{parts}</main></body></html>\n"
)


def _more(count: int) -> Markup:
    template = '<p class="note">The first {} of {}.</p>'
    return markup(template, MOST_ROWS, count) if count > MOST_ROWS else NOTHING


def _best(rows: Sequence[Row], figures: Sequence[str]) -> Iterator[Markup]:
    """A list with the best value of each figure and the point that has it."""
    found = [(name, pareto(rows, [name])) for name in dict.fromkeys([*figures, *GREATER_IS_BETTER])]
    if not any(best for _, best in found):
        return
    yield markup("<ul>")
    for name, best in found:
        if best:
            word = "greatest" if name in GREATER_IS_BETTER else "least"
            at = ", ".join(f"{axis}={shown(value)}" for axis, value in best[0].point.items())
            value = number_text(number_in(best[0], name))
            yield markup("<li>{} <code>{}</code>: <b>{}</b> at {}</li>", word, name, value, at)
    yield markup("</ul>")


def _table(head: Sequence[str], lines: Iterable[Sequence[Figure]], long: str = "") -> Markup:
    """A table. A column whose first cell is a word is aligned left, a column of numbers right. `long`: the name of a
    column whose cells are sentences."""
    rows = list(lines)
    classes = [
        "text long" if name == long else "text" if rows and _is_word(rows[0][column]) else ""
        for column, name in enumerate(head)
    ]
    cells = joined(
        markup('<th scope="col"{}>{}</th>', _class(each), name) for name, each in zip(head, classes, strict=True)
    )
    body = joined(
        markup("<tr>{}</tr>", joined(_cell(value, each) for value, each in zip(row, classes, strict=True)))
        for row in rows
    )
    template = '<div class="scroll" tabindex="0"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
    return markup(template, cells, body)


def _is_word(value: Figure) -> bool:
    return isinstance(value, str) and not _NUMBER.fullmatch(value) and value != "none"


_NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( %)?")
"""A number, a percentage, or a range of numbers."""


def _class(name: str) -> Markup:
    return markup(' class="{}"', name) if name else NOTHING


def _cell(value: Figure, kind: str) -> Markup:
    return markup("<td{}>{}</td>", _class(kind), number_text(value))
