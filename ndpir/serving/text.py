"""The answer of `ndp-serve` as text: a table of latency, throughput and energy, and one of where the time goes."""

from __future__ import annotations

from dialects.text.columns import table
from interp.figures import count, energy, multiple, percent, size, time
from ndpir.serving.answer import Answer, Point, Rates
from ndpir.serving.depends import Dependence
from ndpir.serving.parts import PARTS


def text_of(answer: Answer) -> str:
    """The answer as text, one screen for a handful of points."""
    engine = "no engine" if answer.engine == "none" else f"engine {answer.engine} ({answer.engine_facts})"
    parts = [f"{answer.model} on {answer.machine}, {engine}, -p {answer.pipeline}\n", _rates(answer), _parts(answer)]
    parts += [f"batch {p.batch}, prompt {p.prompt}, output {p.output}: {p.error}\n" for p in answer.points if p.error]
    parts += map(_dependence, answer.depends)
    few = f"{answer.programs - answer.whole} of few layers" if answer.whole else "of few layers each"
    whole = f", {answer.whole} of all layers" if answer.whole else ""
    simulated = f"{count(answer.steps, 'step')} simulated from {count(answer.programs, 'program')}, {few}{whole}"
    parts.append(f"{simulated}; steps between are interpolated where one left out agrees within 0.5 %\n")
    return "\n".join(part for part in parts if part)


def _dependence(each: Dependence) -> str:
    ends = (
        f"{where} {'the plan can not run' if ns is None else f'the step takes {time(ns)}'}"
        for where, ns in zip(each.ends, each.step_ns, strict=True)
    )
    return f"the last decode step depends on {each.name}, assumed {each.assumed}: {', '.join(ends)}\n"


def _rates(answer: Answer) -> str:
    points = [point for point in answer.points if point.rates]
    if not points:
        return ""
    devices = list(dict.fromkeys(name for point in points for name in point.memory))
    alone = any(point.alone or not point.alone_fits for point in points)
    priced = any(point.rates and point.rates.dollars_per_million is not None for point in points)
    head = ["batch", "prompt", "output", "TTFT", "TPOT", "tokens/s", "energy/token"]
    head += ["$/M tokens"] * priced + ["GPU alone: TTFT", "TPOT", "tokens/s", "energy/token", "speed-up"] * alone
    head += ["fits", *(f"on {name}" for name in devices)]
    rows = [
        [
            *map(str, (point.batch, point.prompt, point.output)),
            *_seen(point.rates),
            *[_dollars(point.rates)] * priced,
            *(_alone(point) if alone else ()),
            f"{point.largest_batch:,}",
            *(_held(point, name) for name in devices),
        ]
        for point in points
        if point.rates
    ]
    return table(head, rows)


def _seen(rates: Rates) -> list[str]:
    return [
        "" if rates.first_ns is None else time(rates.first_ns),
        time(rates.token_ns),
        f"{rates.tokens_per_s:,.0f}" if rates.tokens_per_s >= 100 else f"{rates.tokens_per_s:.1f}",
        energy(rates.nj_per_token),
    ]


def _dollars(rates: Rates | None) -> str:
    return f"{rates.dollars_per_million:.2f}" if rates and rates.dollars_per_million is not None else ""


def _alone(point: Point) -> list[str]:
    if not point.alone_fits:
        return ["does not fit", "", "", "", ""]
    if point.alone is None or point.speed_up is None:
        return [""] * 5
    return [*_seen(point.alone), multiple(point.speed_up)]


def _held(point: Point, device: str) -> str:
    return f"{size(round(point.memory[device]))} of {size(round(point.capacity[device]))}"


def _parts(answer: Answer) -> str:
    points = [point for point in answer.points if point.parts]
    if not points:
        return ""
    found = [part for part in PARTS if any(part in point.parts for point in points)]
    head = ["batch", "prompt", "output", "decode step", *found, "kernels", "above bound"]
    rows = [
        [
            *map(str, (point.batch, point.prompt, point.output)),
            time(point.step_ns),
            *(time(point.parts[part]) if part in point.parts else "" for part in found),
            str(point.kernels),
            "" if point.above is None else percent(point.above),
        ]
        for point in points
    ]
    return table(head, rows)
