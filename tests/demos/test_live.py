"""The tsunami demo in a server, watched in a headless Chromium."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

pytestmark = pytest.mark.slow


def test_buoys_their_curves_and_alerts(tmp_path: Path) -> None:
    for package in ("uvicorn", "numpy"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium")
    words = ["demo", "tsunami", "--output", str(tmp_path), "--live", "10000", "--port", "0"]
    command = [sys.executable, "-m", "etalis_py", *words]
    # A page that comes late sees no alert: so the browser is there before the demo begins.
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                page.goto(process.stdout.readline().split()[1])
                page.wait_for_selector("#map .curve")
                page.wait_for_selector("#map .told circle")
                page.wait_for_selector("#answers li")
                browser.close()
                process.send_signal(signal.SIGINT)
                assert process.wait(PATIENCE) == 0
            finally:
                process.kill()
