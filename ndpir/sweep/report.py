"""The report of a sweep: one HTML page with tables and plots, which can be opened from disk and needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ndpir.sweep.analysis import number_in, pareto, sensitivities, shown
from ndpir.sweep.columns import Figure
from ndpir.sweep.drawing import STYLE, effects_svg, pareto_svg
from ndpir.sweep.journal import Row
from ndpir.sweep.running import figures_in

MOST_ROWS = 2000
"""The largest number of rows in the table of all points; with more rows, the page would be slow."""
_STYLE = """
:root{--text:#1a2330;--back:#fff;--muted:#64748b;--line:#dde3ea;--accent:#0b62c4;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--text:#e4e9f0;--back:#12171e;--muted:#93a1b3;--line:#2b3440;--accent:#6fb1ff}}
@media print{:root{--text:#000;--back:#fff;--muted:#555;--line:#ccc;--accent:#004a9f}.scroll{max-height:none!important}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back)}
body{max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:right}
th{position:sticky;top:0;background:var(--back)}td.text{text-align:left}.scroll{overflow:auto;max-height:28rem}svg{max-width:100%;height:auto}
h2{margin-top:2rem}p.note{color:var(--muted)}
"""


def report_html(source: str, rows: Sequence[Row], front: Sequence[str], effect: str) -> str:
    """The page for the results of the file `source`. `front`: the figures of the Pareto front; `effect`: the figure for
    which the effects of all axes are shown."""
    good, failed = [row for row in rows if not row.error], [row for row in rows if row.error]
    axes = list(dict.fromkeys(name for row in rows for name in row.point))
    best = pareto(good, front)
    parts = [
        f"<h1>Sweep {escape(source)}</h1>",
        f"<p>{len(rows)} points over {escape(', '.join(axes))}; {len(failed)} failed.</p>",
    ]
    if good:
        parts += [
            f"<h2>Pareto front</h2><p>{len(best)} points that no other beats in {escape(' and '.join(front))} "
            "(diamonds in the plot).</p>",
            pareto_svg(good, front),
            _table(
                [*axes, *front],
                ([*map(row.point.get, axes), *(number_in(row, name) for name in front)] for row in best),
            ),
            f"<h2>Effect of each axis on {escape(effect)}</h2>",
            effects_svg(good, effect),
            _table(
                ["axis", "best at", "mean", "worst at", "mean", "explains", "elasticity"],
                (
                    [
                        each.axis,
                        each.best,
                        each.best_mean,
                        each.worst,
                        each.worst_mean,
                        f"{100 * each.explained:.1f} %",
                        "" if each.elasticity is None else f"{each.elasticity:+.3f}",
                    ]
                    for each in sensitivities(good, effect)
                ),
            ),
            '<p class="note">“Explains”: the part of the variance that the axis alone explains. “Elasticity”: the '
            "relative change of the figure for a relative change of the axis, all other axes fixed.</p>",
        ]
        figures = figures_in(good)
        parts.append(f"<h2>All points</h2>{_more(len(good))}")
        parts.append(
            _table(
                [*axes, *figures],
                ([*map(row.point.get, axes), *map(row.figures.get, figures)] for row in good[:MOST_ROWS]),
            )
        )
    if failed:
        parts.append(f"<h2>Failed points</h2>{_more(len(failed))}")
        parts.append(_table([*axes, "error"], ([*map(row.point.get, axes), row.error] for row in failed[:MOST_ROWS])))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Sweep {escape(source)}</title><style>{_STYLE}{STYLE}</style></head><body><main>"
        f"{''.join(parts)}</main></body></html>\n"
    )


def _more(count: int) -> str:
    return f'<p class="note">The first {MOST_ROWS} of {count}.</p>' if count > MOST_ROWS else ""


def _table(head: Sequence[str], lines: Iterable[Sequence[Figure]]) -> str:
    cells = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(f"<tr>{''.join(map(_cell, line))}</tr>" for line in lines)
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: Figure) -> str:
    if isinstance(value, str) or value is None:
        return f'<td class="text">{escape(value or "")}</td>'
    return f"<td>{f'{value:,.6g}' if isinstance(value, float) else shown(value)}</td>"
