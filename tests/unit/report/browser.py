"""A headless Chromium for tests of reports, through Selenium; None if either is missing."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
MISSING = (
    "selenium (extra `test`)"
    if find_spec("selenium") is None
    else "Chromium (apt install chromium)"
    if CHROMIUM is None
    else "chromedriver (apt install chromium-driver)"
    if which("chromedriver") is None
    else ""
)
"""The name of the required program that is missing on this computer; empty if none is missing."""
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)


@contextmanager
def started(profile: Path, width: int = 1400, height: int = 1000) -> Generator[Chrome]:
    """A browser with an empty profile in the folder `profile`, and a window of a size in pixels."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (*FLAGS, f"--window-size={width},{height}", f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    os.environ.setdefault("SE_AVOID_STATS", "true")
    driver = Chrome(options=options, service=ChromeService(which("chromedriver") or ""))
    try:
        yield driver
    finally:
        driver.quit()


def opened(driver: Chrome, path: Path) -> None:
    """Open a file and wait until its timeline is drawn."""
    driver.get(path.as_uri())
    evaluated(driver, "return window.report ? window.report.draw() || true : false")


def evaluated(driver: Chrome, script: str, *arguments: Any) -> Any:
    """The result of a script that runs in the page."""
    return driver.execute_script(script, *arguments)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
