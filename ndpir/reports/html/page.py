"""`-t report`: a page that shows a run: the summary first, then the timeline, the graph, rooflines, memory, and bytes
moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, LiteralString

from xdsl.dialects.builtin import ModuleOp

from interp.figures import energy, multiple, percent, size, time
from ndpir.reports.answers.worth import HEADS, Worth, worth_rows
from ndpir.reports.banks.kernels import BankKernel
from ndpir.reports.drawing.picture import picture, style
from ndpir.reports.html.answer import ChainShare, ReportAnswer, report_answer
from ndpir.reports.html.charts import bar, cycles_bar, hatches, memory_chart, roofline_chart, swatch
from ndpir.reports.markup import NOTHING, Markup, Value, joined, json_data, markup, own_file, page_policy
from ndpir.reports.run import Run
from ndpir.reports.summary import SummaryAnswer, closest_bound, summary_text
from ndpir.reports.target import AnswerTarget, printable_answer

SHOWN = 12
"""The largest number of rows that are shown of a long table."""
GRAPH = 1270.0, 1000.0
"""The width and height in pixels that the graph should fit, so that a screen of 1600 by 1200 pixels shows all of it."""
MOST = 400
"""The largest number of the graph's boxes that are drawn."""


def page_of(answer: ReportAnswer) -> Markup:
    """The page, as one HTML file."""
    answer = printable_answer(answer)  # a notebook gives the answer as it is
    kinds = bound_kinds(answer)
    title = f"{answer.question.program} on {', '.join(device.sheet for device in answer.summary.machine)}"
    sections = [
        _asked(answer),
        _answered(answer),
        _timeline(answer, kinds),
        _graph(answer),
        _rooflines(answer),
        _memory(answer),
        _kernels(answer),
        _moved(answer),
        _keys(),
    ]
    styles = joined([markup("\n"), style(), own_file("ndpir.reports.html", "page.css")])
    script = joined([markup("\n"), own_file("ndpir.reports.html", "page.js")])
    return markup(
        _PAGE,
        policy=page_policy(styles, script),
        title=title,
        styles=styles,
        subtitle=_subtitle(answer.summary),
        body=joined((section for section in sections if section), "\n"),
        version=answer.question.ndpir,
        hatches=hatches(),
        data=json_data(_data(answer, kinds)),
        script=script,
    )


_PAGE: LiteralString = """<!DOCTYPE html>
<html lang="en" data-mode="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{policy}
<title>{title} - ndpir</title>
<style>{styles}</style>
</head>
<body>
<a class="skip" href="#timeline">Skip to the timeline</a>
<header>
<div><h1>{title}</h1><p class="soft">{subtitle}</p></div>
<button id="mode" type="button" hidden>Colours: auto</button>
</header>
<main>
{body}
</main>
<footer class="soft"><p>Times and energies are simulated from data sheets, not measured. Written by ndpir
{version}; this file needs no network.</p></footer>
{hatches}
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def framed_page(answer: ReportAnswer) -> Markup:
    """The page in a frame for notebooks, so that its styles and scripts do not change the notebook."""
    return markup(
        '<iframe title="Report of ndpir" sandbox="allow-scripts" srcdoc="{}" '
        'style="width:100%;height:80vh;border:1px solid #8888;border-radius:6px"></iframe>',
        str(page_of(answer)),
    )


def bound_kinds(answer: ReportAnswer) -> dict[str, int]:
    """The index of the filling (colour and hatching) of each bound; the bound with the longest total time has index
    0."""
    sums: dict[str, float] = {}
    for row in answer.rows:
        if row.kind != "loop":
            sums[row.bound] = sums.get(row.bound, 0.0) + row.ns * row.times
    return {bound: index for index, bound in enumerate(sorted(sums, key=lambda bound: -sums[bound]))} | {
        row.bound: len(sums) for row in answer.rows if row.bound not in sums
    }


def _subtitle(summary: SummaryAnswer) -> str:
    names = ", ".join(f"@{device.name} = {device.sheet}" for device in summary.machine)
    return f"{names}; {summary.tasks:,} tasks and {summary.copies:,} copies"


# Each section's text is complete without the script, which only adds the timeline's canvas.


def _asked(answer: ReportAnswer) -> Markup:
    question = answer.question
    command = markup('<div class="asked">{}</div>', question.command) if question.command else NOTHING
    machine = "; ".join(
        f"@{device.name}: data sheet {device.sheet}"
        + (f", {device.channels} of {device.all_channels} channels" if device.channels != device.all_channels else "")
        for device in answer.summary.machine
    )
    return markup(
        """<section aria-labelledby="asked"><h2 id="asked">Asked</h2>
{}<p class="soft">Program: {}. Machine: {}. Versions: ndpir
{}, xDSL {}.</p></section>""",
        command,
        question.program,
        machine,
        question.ndpir,
        question.xdsl,
    )


def _answered(answer: ReportAnswer) -> Markup:
    summary = answer.summary
    cards = joined(
        markup("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>", *figure) for figure in _figures(summary)
    )
    return markup(
        """<section aria-labelledby="answer"><h2 id="answer">Answer</h2>
<dl class="figures">{}</dl>
<div class="beside"><p>{}</p>
{}</div>
<details><summary>All lines of the summary</summary>{}</details></section>""",
        cards,
        _reasons(answer),
        joined((_chain_table(answer.chain_shares), *([] if summary.worth is None else [_worth_table(summary.worth)]))),
        _summary_table(summary),
    )


def _figures(summary: SummaryAnswer) -> Iterator[tuple[str, str, str]]:
    totals, found = summary.totals, summary.comparison
    if found is not None:
        alone = f"over @{found.primary} {found.how} ({time(found.ns)})"
        yield "Speed-up", multiple(found.speed_up), alone
    yield "Makespan", time(totals.makespan_ns), f"computing in {summary.types}" if summary.types else ""
    relative = (
        f"{multiple(found.rel_energy)} of @{found.primary}, by component" if found is not None else "by component"
    )
    yield "Energy", energy(totals.energy_nj), relative
    if (bound := closest_bound(summary)) is not None:
        yield "Above the bound", percent(bound.above), f"of {bound.of}, {time(bound.ns)}: {bound.by}"


def _reasons(answer: ReportAnswer) -> str:
    """Sentences on the device or link that determines most of the makespan, and on the assumed numbers that change the
    results."""
    sentences: list[str] = []
    if answer.chain_shares:
        first = answer.chain_shares[0]
        work = f"work on {first.on}" + (f", limited by {first.bound}" if first.bound else "")
        sentences.append(f"What sets most of the makespan is {work}: {percent(first.share)}.")
    assumptions = answer.summary.assumptions
    changing = [one for one in assumptions.found if one.figures] if assumptions is not None else []
    if changing:
        names = ", ".join(f"{one.name} (assumed {one.assumed})" for one in changing)
        sentences.append(f"The answer depends on numbers that no source states: {names}.")
    elif assumptions is not None and not assumptions.skipped:
        sentences.append("No assumed number of the data sheets changes the answer noticeably.")
    return " ".join(sentences)


def _chain_table(shares: Sequence[ChainShare]) -> Markup:
    rows = [
        (each.on, each.bound, time(each.ns), percent(each.share), bar(each.share)) for each in shares[:SHOWN] if each.ns
    ]
    return _table(
        "What sets the makespan: the chain that ends last",
        ("on", "limited by", "time", "of makespan", ""),
        rows,
        words=(0, 1),
        drawn=4,
    )


def _worth_table(worth: Worth) -> Markup:
    return _table("What each decision is worth: plans that do without it", HEADS, worth_rows(worth), words=(0, 3))


def _summary_table(summary: SummaryAnswer) -> Markup:
    lines, _, table = summary_text(replace(summary, worth=None)).partition("\n\n")
    rows = joined(_line(line[:11].strip(), line[11:]) for line in lines.splitlines())
    return markup('<div class="scroll"><table>{}</table></div><pre class="asked">{}</pre>', rows, table)


def _line(term: Value, words: str) -> Markup:
    """A row of a table of terms and their explanations."""
    return markup('<tr><th class="words" scope="row">{}</th><td class="words">{}</td></tr>', term, words)


def _timeline(answer: ReportAnswer, kinds: Mapping[str, int]) -> Markup:
    named = [bound for bound in kinds if bound]
    return markup(
        _TIMELINE,
        legend=joined(markup("<li>{}{}</li>", swatch(kinds[bound]), bound) for bound in named),
        buttons=_buttons(),
        rows=len(answer.rows),
        longest=_longest(answer),
    )


_TIMELINE: LiteralString = """<section aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>
<p>One track for each device and direction of a link. A bar is a task or a copy, filled by what limits it. A line above
it marks the chain that sets the makespan; a dotted line is idle time, with the reason. Click a bar for its details.</p>
<ul class="legend" aria-label="Fillings by limit">{legend}</ul>
<div id="controls" hidden role="group" aria-label="Controls of the timeline">
{buttons}
<label>Find <input id="find" type="search" placeholder="name of a task"></label>
<span id="found" aria-live="polite"></span>
</div>
<div class="strip"><canvas id="overview" aria-hidden="true"></canvas><div id="lens"></div></div>
<div><canvas id="slices" tabindex="0" role="application" aria-roledescription="timeline" aria-describedby="details"
aria-label="Timeline of {rows:,} tasks and copies. Arrow keys move, plus and minus zoom, n and p go to the
next and the previous task."></canvas></div>
<noscript><p>The timeline needs JavaScript; <code>-t timeline</code> prints it as text.</p></noscript>
<dl id="details" aria-live="polite"><dt>Task</dt><dd>none chosen</dd></dl>
{longest}</section>"""


def _buttons() -> Markup:
    shown = (
        ("earlier", "←", "Earlier"),
        ("later", "→", "Later"),
        ("in", "+", "Zoom in"),
        ("out", "−", "Zoom out"),  # noqa: RUF001
        ("all", "Whole run", "Whole run"),
    )
    template = '<button type="button" id="{}" aria-label="{}">{}</button>'
    buttons = [markup(template, id_, words, text) for id_, text, words in shown]
    return joined([*buttons, markup('<button type="button" id="cause" disabled>Go to what it waited for</button>')])


def _longest(answer: ReportAnswer) -> Markup:
    """The table of tasks and copies by name and device or link, for readers without the canvas, and for printing."""
    sums: dict[tuple[str, str, str], tuple[int, float, float]] = {}
    for row in answer.rows:
        if row.kind in ("task", "copy"):
            key = row.on.partition(".")[0], row.name, row.bound
            tasks, ns, nj = sums.get(key, (0, 0.0, 0.0))
            sums[key] = tasks + row.times, ns + row.ns * row.times, nj + row.energy_nj * row.times
    total = sum(ns for _, ns, _ in sums.values()) or 1.0
    ranked = sorted(sums.items(), key=lambda item: -item[1][1])
    rows = [
        (on, name, bound, f"{tasks:,}", time(ns), percent(ns / total), energy(nj), bar(ns / total))
        for (on, name, bound), (tasks, ns, nj) in ranked[:SHOWN]
    ]
    more = f"; {len(ranked) - SHOWN} more names take less" if len(ranked) > SHOWN else ""
    header = ("on", "task", "limited by", "number", "time", "of all work", "energy", "")
    return _table(f"Where the time goes: tasks and copies of one name together{more}", header, rows, (0, 1, 2), 7)


def _graph(answer: ReportAnswer) -> Markup:
    nodes, shown = sum(node.ops for node in answer.graph.nodes), len(answer.graph.nodes)
    if not shown:
        return NOTHING
    if shown <= MOST:
        drawing = picture(answer.graph, GRAPH, rows=True)
    else:
        drawing = markup("<p>The {:,} boxes are too many to be drawn here; <code>-t svg</code> draws them.</p>", shown)
    return markup(_GRAPH, nodes=nodes, shown=shown, drawing=drawing)


_GRAPH: LiteralString = """<section aria-labelledby="graph"><h2 id="graph">Graph</h2>
<p>Each box is a task, coloured by its device; the more time it takes, the taller it is. Percentages are shares of the
time of all tasks and copies. Dashed lines are copies between devices. Equal layers are drawn once, in a frame: numbers,
times and bytes are sums over all of them, and a grey line leads to the next one. The {nodes:,} ops make {shown:,}
boxes. Click a box to see its first task in the timeline.</p>
<div class="scroll graph">{drawing}</div></section>"""


def _rooflines(answer: ReportAnswer) -> Markup:
    if not answer.rooflines:
        return NOTHING
    charts = joined(markup("<figure>{}</figure>", roofline_chart(each)) for each in answer.rooflines)
    return markup(
        """<section aria-labelledby="rooflines"><h2 id="rooflines">Rooflines</h2>
<p>Each circle is the work of all tasks of one name; its area is their total time. A task near the roof uses all that
the device offers; one far below it waits for something else, which its limit names.</p>
<div class="rooflines">{}</div></section>""",
        charts,
    )


def _memory(answer: ReportAnswer) -> Markup:
    curves = [curve for curve in answer.occupancy.curves if curve.peak_bytes]
    if not curves:
        return NOTHING
    charts = joined(markup("<figure>{}</figure>", memory_chart(curve)) for curve in curves)
    moved = ", ".join(f"{word} {size(nbytes)}" for word, nbytes in answer.occupancy.moved_bytes.items())
    waited = time(answer.occupancy.stalled_ns)
    text = markup("<p>Moved between memories: {}; tasks wait {} for it.</p>", moved, waited) if moved else NOTHING
    return markup(
        """<section aria-labelledby="memory"><h2 id="memory">Memory over time</h2>
{}{}</section>""",
        text,
        charts,
    )


def _kernels(answer: ReportAnswer) -> Markup:
    if not answer.kernels:
        return NOTHING
    whole = max(kernel.launches_ns for kernel in answer.kernels) or 1.0
    causes = list(dict.fromkeys(wait.cause for kernel in answer.kernels for wait in kernel.waits))
    legend = joined(markup("<li>{}{}</li>", swatch(index), cause) for index, cause in enumerate(causes))
    rows = [_kernel_row(kernel, causes, whole) for kernel in answer.kernels[:SHOWN]]
    header = ("kernel", "on", "launches", "all launches", "cycles", "mostly", "cycles by cause")
    more = f"; {len(answer.kernels) - SHOWN} more take less" if len(answer.kernels) > SHOWN else ""
    table = _table(
        f"Bank programs: the cycles of the slowest channel in one launch{more}", header, rows, words=(0, 1, 5), drawn=6
    )
    return markup(
        """<section aria-labelledby="cycles"><h2 id="cycles">Where PIM cycles go</h2>
<ul class="legend" aria-label="Fillings by cause">{}</ul>{}</section>""",
        legend,
        table,
    )


def _kernel_row(kernel: BankKernel, causes: Sequence[str], whole: float) -> tuple[str, ...]:
    most = max(kernel.waits, key=lambda wait: wait.cycles, default=None)
    mostly = f"{most.cause} ({percent(most.share)})" if most is not None else ""
    drawn = cycles_bar(kernel, causes, kernel.launches_ns / whole)
    return kernel.name, kernel.on, f"{kernel.launches:,}", time(kernel.launches_ns), f"{kernel.cycles:,}", mostly, drawn


def _moved(answer: ReportAnswer) -> Markup:
    if not answer.moved:
        return NOTHING
    total = sum(each.bytes for each in answer.moved) or 1
    rows = [
        (
            each.on,
            each.name,
            f"{each.copies:,}",
            size(each.bytes),
            percent(each.bytes / total),
            time(each.ns),
            energy(each.energy_nj),
            bar(each.bytes / total),
        )
        for each in answer.moved[:SHOWN]
    ]
    more = f"; {len(answer.moved) - SHOWN} more names move less" if len(answer.moved) > SHOWN else ""
    header = ("link", "value", "copies", "bytes", "of all bytes", "time", "energy", "")
    total_size = size(answer.summary.totals.bytes_copied)
    table = _table(f"Copies over links, {total_size} in total{more}", header, rows, (0, 1), 7)
    return markup('<section aria-labelledby="moved"><h2 id="moved">What moved</h2>{}</section>', table)


_KEYS = (
    ("←, →", "move by 15 %"),
    ("+, -, 0", "zoom in, zoom out, the whole run"),
    ("↑, ↓", "the track above, the track below"),
    ("n, p", "the next and the previous task of the track"),
    ("c", "go to what the chosen task waited for"),
    ("Enter, Esc", "zoom to the chosen task; choose none"),
    ("Home, End", "the begin and the end of the run"),
)


def _keys() -> Markup:
    rows = joined(
        _line(joined((markup("<kbd>{}</kbd>", key) for key in keys.split(", ")), " "), words) for keys, words in _KEYS
    )
    return markup(
        """<section class="keys" aria-labelledby="keys"><h2 id="keys">Keys</h2>
<p>With the timeline in focus (Tab). The mouse: drag to move, wheel to zoom, double-click to zoom to a task.</p>
<table>{}</table></section>""",
        rows,
    )


def _table(
    caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[int] = (), drawn: int = -1
) -> Markup:
    """A table as HTML. `words`: the indices of left-aligned columns; `drawn`: the index of a column whose cells are
    SVG."""
    classes = {at: markup(' class="words"') for at in words} | {drawn: markup(' class="bar"')}
    kinds = [classes.get(at, NOTHING) for at in range(len(header))]
    head = joined(markup('<th scope="col"{}>{}</th>', *each) for each in zip(kinds, header, strict=True))
    body = joined(
        markup("<tr>{}</tr>", joined(markup("<td{}>{}</td>", *each) for each in zip(kinds, row, strict=True)))
        for row in rows
    )
    return markup(
        '<div class="scroll"><table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>',
        caption,
        head,
        body,
    )


def _data(answer: ReportAnswer, kinds: Mapping[str, int]) -> dict[str, Any]:
    """The rows of the timeline, one list per column; texts that repeat are replaced by an index. Times are in
    ns, rounded to 0.001."""
    names, places = _Numbers(), _Numbers()
    tracks = _tracks(answer)
    reasons = ["", "start", "data", "device", "exclusion", "queue", "memory"]
    paired = list(zip(answer.rows, answer.waits, strict=True))
    columns: dict[str, list[Any]] = {
        "name": [names[row.name] for row in answer.rows],
        "track": [tracks[row.on] for row in answer.rows],
        "start": [_short(row.start_ns) for row in answer.rows],
        "end": [_short(row.end_ns) for row in answer.rows],
        "bound": [kinds[row.bound] for row in answer.rows],
        "bytes": [row.bytes for row in answer.rows],
        "energy": [float(f"{row.energy_nj:.6g}") for row in answer.rows],
        "place": [places[row.place] for row in answer.rows],
        "times": [row.times for row in answer.rows],
        "reason": [reasons.index(wait.reason or "") for _, wait in paired],
        "cause": [-1 if wait.cause is None else wait.cause for _, wait in paired],
        "idle": [_short(wait.idle_ns) for _, wait in paired],
    }
    return {
        "makespan_ns": answer.summary.totals.makespan_ns,
        "names": list(names),
        "places": list(places),
        "bounds": list(kinds),
        "tracks": [{"label": label} for label in tracks],
        "reasons": reasons,
        "chain": answer.chain,
        "rows": columns,
    }


def _tracks(answer: ReportAnswer) -> dict[str, int]:
    """The index of each track of the timeline: first the devices, then the links, each followed by its further queues;
    then the loops."""
    order = {each.name: index for index, each in enumerate(answer.summary.resources)}
    used = dict.fromkeys(row.on for row in answer.rows)
    known = {name: order.get(name, order.get(name.rpartition(".")[0], len(order))) for name in used}
    return {name: number for number, name in enumerate(sorted(used, key=lambda name: (known[name], name)))}


class _Numbers(dict[str, int]):
    """Numbers for texts: a text gets the next free number, from 0 on, when it is first looked up."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def _short(ns: float) -> float:
    rounded = round(ns, 3)
    return int(rounded) if rounded == int(rounded) else rounded


@dataclass(frozen=True)
class NotebookReport(ReportAnswer):
    """A report as a string of HTML, which notebooks show in a frame."""

    def _repr_html_(self) -> str:
        return framed_page(self)


@dataclass(frozen=True)
class ReportTarget(AnswerTarget[ReportAnswer]):
    """One HTML file that shows a run and needs no network: the speed-up, the reasons for the length of the makespan, a
    timeline that can be zoomed and shows the reason for each wait, the graph, rooflines, memory over time, cycles of
    bank programs and bytes moved.

    `entry`: the function; default: `main`, or else the first function. `command`, `program`: the command line and the
    file that the page states; default: those of this command.
    """

    name: ClassVar[str] = "report"
    entry: str | None = None
    command: str = ""
    program: str = ""

    def answer(self, module: ModuleOp) -> ReportAnswer:
        return NotebookReport(**vars(report_answer(Run.of(module, self.entry), self.command, self.program)))

    def text(self, answer: ReportAnswer) -> str:
        return page_of(answer)
