"""Speed of reports in headless Chromium, compared with an empty page in the same browser.

Measured are size, first paint, and frames per second while the timeline is moved, for Llama-2-7B's decode step and for
a run with many tasks.

    python -m benchmarks report [--events N] [--screenshot FILE.png]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import ndpir
from interp.simulate.schedule.rows import Row
from ndpir.reports.html.answer import ReportAnswer, RowWait, report_answer
from ndpir.reports.html.page import page_of
from ndpir.reports.run import Run
from tests.unit.report.browser import MISSING, evaluated, opened, started

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

LLAMA = "examples/models/llama2_7b_decode_kv511_f16.onnx"
EMPTY = "<!DOCTYPE html><title>empty</title><p>x</p>"
LOADS = 7
"""The number of times that a page is opened; the median of the measured times is reported."""
PAINT = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1"
MOVING = """
const done = arguments[arguments.length - 1], part = arguments[0];
const whole = window.report ? window.report.whole : 1, times = [];
let frames = 0, drawn = 0;
function frame(now) {
  times.push(now);
  if (window.report) {
    const from = whole * (1 - part) * (0.5 + 0.5 * Math.sin(frames / 40)), before = performance.now();
    window.report.show(from, from + whole * part);
    window.report.draw();
    drawn += performance.now() - before;
  }
  if (++frames < 180) requestAnimationFrame(frame);
  else done([179000 / (times[179] - times[0]), Math.max(...times.slice(1).map((at, n) => at - times[n])), drawn / 180]);
}
requestAnimationFrame(frame);
"""


def many(answer: ReportAnswer, events: int) -> ReportAnswer:
    """The report of a run with so many tasks on two devices that at any zoom several tasks of a track share a pixel."""
    work = 10.0, "memory", 8, 1.0, 4, ""
    rows = tuple(
        Row("task", f"task {i % 97}", ("pim", "gpu")[i % 2], i // 2 * 10.0, i // 2 * 10.0 + 10 - i % 7, *work)
        for i in range(events)
    )
    waits = tuple(
        RowWait("start" if i < 2 else "device", None if i < 2 else i - 2, float(i % 7)) for i in range(events)
    )
    summary = replace(answer.summary, totals=replace(answer.summary.totals, makespan_ns=events // 2 * 10.0))
    return replace(answer, summary=summary, rows=rows, waits=waits, chain=tuple(range(1, events, 2)))


def first_paint_ms(driver: Chrome, path: Path) -> float:
    """The median time from the start of loading a page to its first paint, in ms."""
    found: list[float] = []
    for _ in range(LOADS):
        driver.get(path.as_uri())
        while (at := float(evaluated(driver, PAINT))) < 0:
            pass
        found.append(at)
    return median(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one row for each page; returns 1 if a page does not meet one of its bars (required figures)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=40_000, help="tasks of the large run (default: 40000)")
    parser.add_argument("--screenshot", help="also write a picture of Llama-2-7B's report")
    given = parser.parse_args(arguments)
    if MISSING:
        sys.stderr.write(f"this benchmark needs {MISSING}\n")
        return 1
    module = ndpir.compile(ndpir.read(LLAMA), "offload", machine="a100-newton")
    answer = report_answer(Run(module), f"ndp-opt {LLAMA} --machine a100-newton -p offload -t report", LLAMA)
    with TemporaryDirectory() as folder, started(Path(folder) / "profile", 1400, 1000) as driver:
        pages = {
            "empty page": EMPTY,
            f"Llama-2-7B, {len(answer.rows):,} events": page_of(answer),
            f"{given.events:,} events": page_of(many(answer, given.events)),
        }
        failed, empty = False, 0.0
        print(f"{'page':28} {'size':>9} {'first paint':>12} {'of empty':>9}   frames/s (longest frame, drawing) at")
        print(f"{'':28} {'':>9} {'':>12} {'':>9}   the whole run, 10 %, 1 %")
        for number, (name, page) in enumerate(pages.items()):
            path = Path(folder) / f"{number}.html"
            path.write_text(page, "utf-8")
            paint = first_paint_ms(driver, path)
            empty = empty or paint
            opened(driver, path)
            cells: list[str] = []
            for part in (1.0, 0.1, 0.01):
                rate, longest, drawing = driver.execute_async_script(MOVING, part)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
                cells.append(f"{rate:.0f} ({longest:.0f} ms, {drawing:.1f} ms)")
                failed = failed or float(rate) < 30.0  # pyright: ignore[reportUnknownArgumentType]
            size = len(page.encode()) / 1e6
            failed = failed or paint > 1000.0 or size > 5.0
            print(f"{name:28} {size:6.2f} MB {paint:9.0f} ms {paint / empty:8.1f}x   {', '.join(cells)}")
            if number == 1 and given.screenshot:
                driver.get(path.as_uri())
                driver.save_screenshot(given.screenshot)  # pyright: ignore[reportUnknownMemberType]
    print("bars: 5 MB, 1000 ms, 30 frames/s:", "missed" if failed else "met")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
