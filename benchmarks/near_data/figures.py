"""Figures of plans for training steps, as rows of files and as tables of a document."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import NamedTuple

from dialects.files import write_text

BARS = "bert_large", "bert_base", "gpt2", "resnet18", "resnet50", "mobilenetv2"
MODELS = *BARS, "dlrm", "lstm", "ncf"
NAMES: Mapping[str, str] = {
    "bert_large": "BERT-large",
    "bert_base": "BERT-base",
    "gpt2": "GPT-2 small",
    "resnet18": "ResNet-18",
    "resnet50": "ResNet-50",
    "mobilenetv2": "MobileNetV2",
    "dlrm": "DLRM",
    "lstm": "LSTM",
    "ncf": "NCF",
}
RULES = "pattern", "xla-ndp", "overlap"
FORMS: Mapping[str, str] = {
    "plain": "",
    "attention": "attention fused",
    "filters": "gradients of filters apart",
    "apart": "gradients apart",
    "alone, as written": "as on the GPU alone",
    "alone, fused": "as on the GPU alone, attention fused",
    "alone, fused forward": "as on the GPU alone, attention fused in the forward pass",
}
"""The forms of steps in the words of tables."""
UNITS: Mapping[str, str] = {
    "units": "units",
    "bandwidth": "bandwidth of the memory, GB/s",
    "link": "bandwidth of the link, GB/s",
}
"""The varied fields of sweeps, in the words of their tables."""


class Figures(NamedTuple):
    """Figures of one plan.

    `sweep`, `value`: the varied field of the machine and its value; empty for the sheets' values. `form`: the fused
    form of the step, one of `FORMS`. `alone`, `ns`, `bound`: the time of the GPU alone in its best
    form, the time of the plan, and a lower bound on the time of all plans (0: unknown), in the plan's accounting.
    `joules`, `board`: energy in the plan's accounting, with idle power, summed over components, and accounted by whole
    boards; `alone_joules`, `alone_board`: those of the GPU alone. `moved`: bytes over the link, in the timeline;
    `seconds`: processor time of planning.
    """

    model: str
    sweep: str
    value: str
    policy: str
    accounting: str
    form: str
    alone: float
    ns: float
    bound: float
    joules: float
    board: float
    alone_joules: float
    alone_board: float
    moved: int
    seconds: float

    @property
    def speedup(self) -> float:
        return self.alone / self.ns

    @property
    def gap(self) -> float:
        """Return the plan's time divided by the bound, minus 1; nan without a bound."""
        return self.ns / self.bound - 1 if self.bound else float("nan")


def best(figures: Iterable[Figures]) -> Figures:
    """Return the figures of the shorter of two plans for different forms of a step. The bound holds for both forms, and
    the processor time is that of both."""
    found = sorted(figures, key=lambda each: each.ns)
    bounds = [each.bound for each in found]
    return found[0]._replace(bound=min(bounds) if all(bounds) else 0.0, seconds=sum(each.seconds for each in found))


def add_rows(path: Path, figures: Sequence[Figures]) -> None:
    """Add rows to a file, which has a heading."""
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(Figures._fields)
        writer.writerows(figures)


def read_rows(paths: Sequence[Path]) -> list[Figures]:
    """Read the rows of files; of rows that differ only in figures, the last one counts."""
    found: dict[tuple[str, ...], Figures] = {}
    for path in paths:
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                words = [row[name] for name in Figures._fields]
                alone, ns, bound, joules, board, alone_joules, alone_board = map(float, words[6:13])
                model, sweep, value, policy, accounting, form = words[:6]
                times, energy = (alone, ns, bound), (joules, board, alone_joules, alone_board)
                found[tuple(words[:5])] = Figures(
                    model, sweep, value, policy, accounting, form, *times, *energy, int(words[13]), float(words[14])
                )
    return list(found.values())


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def tables(figures: Sequence[Figures]) -> dict[str, str]:
    """Return all tables of figures as Markdown, by name."""
    plans = [each for each in figures if not each.sweep]
    found = {f"{each} plans": _plans(plans, each) for each in ("published", "full")}
    found["energy"] = _energy(plans)
    for sweep in UNITS:
        for accounting in ("published", "full"):
            rows = [each for each in figures if (each.sweep, each.accounting) == (sweep, accounting)]
            if rows:
                found[f"{accounting} {sweep}"] = _sweep(rows)
    return found


def write_document(path: Path, found: Mapping[str, str]) -> list[str]:
    """Replace the tables of a document; a table stands after a comment `<!-- xla_ndp: NAME -->`. Return the names of
    the tables that the document does not have."""
    text, missing = path.read_text(encoding="utf-8"), list[str]()
    for name, table in found.items():
        before, mark, after = text.partition(f"<!-- xla_ndp: {name} -->\n")
        if not mark:
            missing.append(name)
            continue
        text = before + mark + table + re.sub(r"\A(?:\|.*\n)*", "", after)
    write_text(path, text)
    return missing


def _by_model(figures: Iterable[Figures]) -> dict[str, dict[str, Figures]]:
    """Return figures by model, in the order of `MODELS`, and policy."""
    found: dict[str, dict[str, Figures]] = {}
    for each in figures:
        found.setdefault(each.model, {})[each.policy] = each
    return {name: found[name] for name in (*MODELS, *found) if name in found}


def _plans(figures: Sequence[Figures], accounting: str) -> str:
    by_model = _by_model(each for each in figures if each.accounting == accounting)
    header = ["step", "GPU alone", *(f"`{each}`" for each in RULES), "bound", "gap", "form"]
    header += ["bytes over the link"] if accounting == "full" else []
    header += ["planning time, processor seconds"]
    rows: list[list[str]] = []
    for name, found in by_model.items():
        ours = found["overlap"]
        rows.append(
            [
                NAMES.get(name, name),
                f"{ours.alone / 1e6:.3g} ms",
                *(f"{found[each].speedup:.3f}x" for each in RULES),
                f"{ours.alone / ours.bound:.2f}x" if ours.bound else "",
                f"{100 * ours.gap:.1f} %" if ours.bound else "",
                FORMS[ours.form],
                *([f"{ours.moved / 1e9:.2f} GB"] if accounting == "full" else []),
                f"{ours.seconds:.0f}",
            ]
        )
    known = [each for each in BARS if each in by_model]
    for words, names in (("geometric mean of all", list(by_model)), ("of the first six", known)):
        if names:
            means = [geometric_mean(by_model[name][each].speedup for name in names) for each in RULES]
            cells = [f"**{words}**", "", *(f"**{mean:.3f}x**" for mean in means)]
            rows.append([*cells, *[""] * (len(header) - len(cells))])
    return markdown(header, rows)


def _energy(figures: Sequence[Figures]) -> str:
    header = ["step", "GPU alone", "published: components", "boards", "full: components", "boards"]
    by = {each: _by_model(row for row in figures if row.accounting == each) for each in ("published", "full")}
    rows: list[list[str]] = []
    for name in by["full"]:
        cells = [NAMES.get(name, name)]
        for accounting in ("published", "full"):
            if (ours := by[accounting].get(name, {}).get("overlap")) is None:
                continue
            if accounting == "published":
                cells.append(f"{ours.alone_joules:.3g} J, {ours.alone_board:.3g} J")
            cells += [f"{ours.joules / ours.alone_joules:.2f}x", f"{ours.board / ours.alone_board:.2f}x"]
        rows.append(cells)
    return markdown(header, rows)


def _sweep(figures: Sequence[Figures]) -> str:
    """Return a table of speed-ups by the varied field's value; each cell has those of `xla-ndp` and `overlap`."""
    values = list(dict.fromkeys(each.value for each in figures))
    rows: list[list[str]] = []
    for name in dict.fromkeys(each.model for each in figures):
        found = {(each.value, each.policy): each.speedup for each in figures if each.model == name}
        cells = ([f"{found[value, each]:.2f}" for each in RULES[1:] if (value, each) in found] for value in values)
        rows.append([NAMES.get(name, name), *map(" ".join, cells)])
    return markdown([UNITS[figures[0].sweep], *values], rows)
