"""The demos in a server, watched in a headless Chromium."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE

pytestmark = pytest.mark.slow


@contextmanager
def watched(*words: str) -> Iterator[Any]:
    """The page of a demo."""
    for package in ("uvicorn", "numpy"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium")
    command = [sys.executable, "-m", "etalis_py", "demo", *words, "--port", "0"]
    # A page that comes late sees no alert: so the browser is there before the demo begins.
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                page.goto(process.stdout.readline().split()[1])
                yield page
                browser.close()
                process.send_signal(signal.SIGINT)
                assert process.wait(PATIENCE) == 0
            finally:
                process.kill()


def test_buoys_their_curves_and_alerts(tmp_path: Path) -> None:
    with watched("tsunami", "--output", str(tmp_path), "--live", "10000") as page:
        page.wait_for_selector("#map .curve")
        page.wait_for_selector("#map .told circle")
        page.wait_for_selector("#answers li")


def test_agents_that_move_closed_roads_jobs_and_alerts(tmp_path: Path) -> None:
    with watched("delivery", "--output", str(tmp_path), "--live", "600", "--agents", "4") as page:
        page.wait_for_selector("#map .roads path", state="attached")
        page.wait_for_selector("#map .mover:nth-child(4)")
        where = page.get_attribute("#map .mover", "transform")
        page.wait_for_function(
            "before => document.querySelector('#map .mover').getAttribute('transform') !== before", arg=where
        )
        page.wait_for_selector("#map .states .state-0", state="attached")  # closed roads
        page.wait_for_selector("#map .links line", state="attached")  # from an agent to its next stop
        page.wait_for_selector("#map .told", state="attached")
        page.wait_for_selector("#states h3:has-text('closed')")
        page.wait_for_selector("#answers .query:has-text('reroute')")


def test_files_that_change(tmp_path: Path) -> None:
    (tmp_path / "21418.dart").write_text(
        "#YY  MM DD hh mm ss T   HEIGHT\n#yr  mo dy hr mn  s -        m\n"
        "2020 01 01 00 02 00 2 5000.100\n2020 01 01 00 01 00 2 5000.000\n"
    )
    words = ["--ndbc", str(tmp_path), "--hold", "0", "--every", "0.1"]
    with watched("tsunami", "--output", str(tmp_path / "out"), *words) as page:
        page.wait_for_selector("#streams li:has-text(':21418 :height 5000.1')")
