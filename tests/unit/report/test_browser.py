"""The page of a report in a real browser: it loads no other file, is drawn, and reacts to mouse and keyboard."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Generator
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ndpir
from dialects.text.printable import printable
from interp.simulate.schedule.rows import Row
from ndpir.reports.html.answer import ReportAnswer, RowWait, report_answer
from ndpir.reports.html.page import page_of
from ndpir.reports.run import Run
from tests.unit.report.browser import MISSING, evaluated, opened, started
from tests.unit.report.hostile import DRAWINGS, NAMES, PAGES

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=f"reports need {MISSING} to be looked at")]


@cache
def answer() -> ReportAnswer:
    return report_answer(Run(ndpir.compile(ndpir.read("examples/mlp.mlir"))), "ndp-opt examples/mlp.mlir -t report")


def large(count: int = 40_000) -> ReportAnswer:
    """A report with many rows on two devices; the tasks of each device follow each other without a pause."""
    work = 10.0, "memory", 8, 1.0, 4, ""
    rows = tuple(
        Row("task", f"task {i % 97}", ("pim", "gpu")[i % 2], i // 2 * 10.0, i // 2 * 10.0 + 10, *work)
        for i in range(count)
    )
    waits = tuple(RowWait("start" if i < 2 else "device", None if i < 2 else i - 2, 0.0) for i in range(count))
    totals = replace(answer().summary.totals, makespan_ns=count // 2 * 10.0)
    return replace(
        answer(),
        summary=replace(answer().summary, totals=totals),
        rows=rows,
        waits=waits,
        chain=tuple(range(1, count, 2)),
    )


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Generator[Chrome]:
    with started(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "mlp.html"
    file.write_text(page_of(answer()), "utf-8")
    return file


@pytest.fixture
def page(browser: Chrome, path: Path) -> Chrome:
    """The page as opened for the first time, without stored settings."""
    opened(browser, path)
    evaluated(browser, "localStorage.clear()")
    opened(browser, path)
    return browser


def pressed(page: Chrome, *keys: str) -> None:
    from selenium.webdriver.common.by import By

    page.find_element(By.ID, "slices").send_keys(*keys)


def view(page: Chrome) -> tuple[float, float]:
    found = evaluated(page, "return [report.view.from, report.view.to]")
    return found[0], found[1]


def details(page: Chrome) -> str:
    return evaluated(page, "return document.getElementById('details').innerText")


def test_it_loads_nothing_and_reports_no_error(page: Chrome) -> None:
    assert evaluated(page, "return performance.getEntriesByType('resource').map(each => each.name)") == []
    logged: list[dict[str, Any]] = page.get_log("browser")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    assert logged == []


def test_bars_of_the_timeline_are_painted(page: Chrome) -> None:
    painted = """
        const canvas = document.getElementById("slices");
        const pixels = canvas.getContext("2d").getImageData(128, 0, canvas.width - 128, canvas.height).data;
        const seen = new Set();
        for (let at = 0; at < pixels.length; at += 4) seen.add(pixels.slice(at, at + 3).join());
        return seen.size"""
    assert evaluated(page, painted) > 20


def test_nothing_is_wider_than_the_window(page: Chrome) -> None:
    assert evaluated(page, "return document.documentElement.scrollWidth <= innerWidth")


def test_keys_move_zoom_and_choose(page: Chrome) -> None:
    from selenium.webdriver.common.keys import Keys

    whole = view(page)
    assert whole == (0.0, answer().summary.totals.makespan_ns)
    pressed(page, "+")
    zoomed = view(page)
    assert zoomed[1] - zoomed[0] == pytest.approx(whole[1] / 1.5)
    pressed(page, Keys.ARROW_RIGHT)
    assert view(page)[0] > zoomed[0]
    pressed(page, "0")
    assert view(page) == whole
    pressed(page, "n")
    assert "gpu" in details(page)
    pressed(page, Keys.ARROW_DOWN)
    first = details(page)
    assert "pim" in first
    pressed(page, "n")
    assert details(page) != first
    pressed(page, "p")
    assert details(page) == first
    pressed(page, Keys.ESCAPE)
    assert evaluated(page, "return report.chosen()") == -1


def test_the_cause_of_a_wait_is_one_key_away(page: Chrome) -> None:
    waiting = next(index for index, wait in enumerate(answer().waits) if wait.reason == "data")
    evaluated(page, "report.choose(arguments[0])", waiting)
    cause = answer().waits[waiting].cause
    assert cause is not None
    assert f"waits for the data of {answer().rows[cause].name}" in details(page)
    pressed(page, "c")
    assert evaluated(page, "return report.chosen()") == cause
    assert answer().rows[cause].name in details(page)


def test_the_mouse_drags_zooms_and_chooses(page: Chrome) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    canvas = page.find_element(By.ID, "slices")
    pressed(page, "+", "+")
    before = view(page)
    ActionChains(page).drag_and_drop_by_offset(canvas, -80, 0).perform()
    assert view(page)[0] > before[0]
    evaluated(
        page,
        "document.getElementById('slices').dispatchEvent(new WheelEvent('wheel',"
        "{deltaY: -200, ctrlKey: true, bubbles: true, cancelable: true}))",
    )
    assert view(page)[1] - view(page)[0] < before[1] - before[0]
    pressed(page, "0")
    row = next(index for index, each in enumerate(answer().rows) if each.on == "gpu")
    middle = (answer().rows[row].start_ns + answer().rows[row].end_ns) / 2 / view(page)[1]
    width, height = evaluated(page, "return [arguments[0].clientWidth, arguments[0].clientHeight]", canvas)
    away = 128 + middle * (width - 128) - width / 2
    top = 24 + 8 - height / 2
    ActionChains(page).move_to_element_with_offset(canvas, round(away), round(top)).click().perform()
    assert evaluated(page, "return report.chosen()") == row


def test_tasks_are_found_by_name(page: Chrome) -> None:
    from selenium.webdriver.common.by import By

    page.find_element(By.ID, "find").send_keys("silu", "\n")
    assert evaluated(page, "return document.getElementById('found').textContent") == "1 found"
    assert "silu" in details(page)


def test_colours_follow_the_system_and_the_switch(page: Chrome) -> None:
    from selenium.webdriver.common.by import By

    ground = "return getComputedStyle(document.body).backgroundColor"
    emulate: Any = page.execute_cdp_cmd  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    feature = "prefers-color-scheme"
    emulate("Emulation.setEmulatedMedia", {"features": [{"name": feature, "value": "dark"}]})
    dark = evaluated(page, ground)
    emulate("Emulation.setEmulatedMedia", {"features": [{"name": feature, "value": "light"}]})
    light = evaluated(page, ground)
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(13, 17, 23)")
    switch = page.find_element(By.ID, "mode")
    switch.click()
    assert evaluated(page, ground) == light
    switch.click()
    assert evaluated(page, ground) == dark
    opened(page, Path(page.current_url.removeprefix("file://")))
    assert evaluated(page, ground) == dark  # the choice is kept


def test_the_focus_is_visible_and_all_controls_have_names(page: Chrome) -> None:
    unnamed = """return [...document.querySelectorAll("button, input, canvas:not([aria-hidden]), svg[role=img]")]
        .filter(each => !(each.getAttribute("aria-label") || each.textContent.trim() || each.labels?.length))
        .map(each => each.outerHTML)"""
    assert evaluated(page, unnamed) == []
    outlined = """const canvas = document.getElementById("slices"); canvas.focus({focusVisible: true});
        return getComputedStyle(canvas).outlineStyle"""
    assert evaluated(page, outlined) == "solid"


def test_it_prints_light_without_controls(page: Chrome) -> None:
    print_page: Any = page.execute_cdp_cmd  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    pdf = b64decode(print_page("Page.printToPDF", {"printBackground": True})["data"])
    assert pdf.startswith(b"%PDF-")
    print_page("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = "return getComputedStyle(document.getElementById(arguments[0])).display"
        assert {evaluated(page, shown, name) for name in ("controls", "mode", "details")} == {"none"}
        assert evaluated(page, "return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    finally:
        print_page("Emulation.setEmulatedMedia", {"media": ""})


def test_a_frame_draws_no_more_than_pixels_show(browser: Chrome, tmp_path: Path) -> None:
    """The cost of a frame depends on the width of the canvas, at any zoom, not on the number of rows."""
    file = tmp_path / "large.html"
    file.write_text(page_of(large()), "utf-8")
    opened(browser, file)
    counted = """
        const context = document.getElementById("slices").getContext("2d");
        let calls = 0;
        for (const name of ["fillRect", "rect", "lineTo"]) {
            const drawn = context[name];
            context[name] = function (...at) { calls++; drawn.apply(this, at); };
        }
        const found = [];
        for (const part of [1, 0.3, 0.05, 0.001]) {
            report.show(0, report.whole * part); calls = 0; report.draw(); found.push(calls);
        }
        return [found, document.getElementById("slices").clientWidth]"""
    found, width = evaluated(browser, counted)
    assert max(found) <= 3 * 2 * width  # a bar, a mark of the chain and a label for each pixel of two tracks
    assert min(found) > 10
    assert evaluated(browser, "return report.rows") == 40_000


def test_a_notebook_shows_it_in_a_frame(browser: Chrome, tmp_path: Path) -> None:
    """A report is drawn in a sandboxed frame, which has no access to the notebook or to the browser's storage."""
    file = tmp_path / "notebook.html"
    shown = ndpir.answer(ndpir.compile(ndpir.read("examples/mlp.mlir")), "report")
    file.write_text(f"<!DOCTYPE html><title>notebook</title>{shown._repr_html_()}", "utf-8")
    browser.get(file.as_uri())
    browser.switch_to.frame(0)
    try:
        assert evaluated(browser, "return window.report.rows") == len(answer().rows)
        assert evaluated(browser, "return document.querySelector('h1').textContent") == "@mlp on a100, newton"
    finally:
        browser.switch_to.default_content()


def test_colours_of_text_have_contrast(page: Chrome) -> None:
    """The contrast is at least 4.5 : 1, as the Web Content Accessibility Guidelines (level AA) demand."""
    from selenium.webdriver.common.by import By

    script = """const style = getComputedStyle(document.documentElement);
        return ["--ink", "--soft", "--accent", "--ground", "--card"].map(name => style.getPropertyValue(name).trim())"""
    for _ in ("light", "dark"):
        page.find_element(By.ID, "mode").click()
        *inks, ground, card = evaluated(page, script)
        for ink in inks:
            assert contrast(ink, ground) >= 4.5
        assert contrast(inks[1], card) >= 4.5


def contrast(one: str, other: str) -> float:
    """The contrast of two colours `#rrggbb`, from 1 to 21."""
    lights = sorted(map(_luminance, (one, other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_screenshot_is_not_blank(page: Chrome) -> None:
    from PIL import Image

    picture = Image.open(BytesIO(page.get_screenshot_as_png())).convert("RGB")
    colours = picture.resize((200, 140)).getcolors(28_000)
    assert colours is not None
    assert len(colours) > 50


TAGS = "return [...document.querySelectorAll('*')].map(e => [e.tagName, ...e.getAttributeNames()].join(' '))"


@pytest.mark.parametrize("page", [*PAGES, *DRAWINGS])
def test_names_add_no_element_and_run_nothing(browser: Chrome, tmp_path: Path, page: str) -> None:
    name, write = "".join(NAMES), {**PAGES, **DRAWINGS}[page]
    found: list[list[str]] = []
    for text in (name, "x" * len(printable(name))):
        file = tmp_path / f"page.{'svg' if page in DRAWINGS else 'html'}"
        file.write_text(write(text), "utf-8")
        browser.get(file.as_uri())
        found.append(evaluated(browser, TAGS))
        assert evaluated(browser, "return window.attacked") is None
    assert found[0] == found[1]


@pytest.mark.parametrize("page", ["report", "report of a sweep"])
def test_the_policy_lets_no_other_script_run(browser: Chrome, tmp_path: Path, page: str) -> None:
    attacks = (
        "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'>"
        "<b style='color: red'>styled</b><style>b { font-size: 99px }</style>"
        "<svg onload='window.attacked = 1'></svg><a id='attack' href='javascript:window.attacked=1'>link</a>"
    )
    file = tmp_path / "page.html"
    file.write_text(PAGES[page]("x").replace("<main>", f"<main>{attacks}", 1), "utf-8")
    browser.get(file.as_uri())
    evaluated(browser, "document.getElementById('attack').click()")
    assert evaluated(browser, "return window.attacked") is None
    style = "const s = getComputedStyle(document.querySelector('b')); return [s.color, s.fontSize]"
    assert evaluated(browser, style) != ["rgb(255, 0, 0)", "99px"]
    assert "99px" not in evaluated(browser, style)
    if page == "report":
        assert evaluated(browser, "return Boolean(window.report)"), "the report's own script runs"
