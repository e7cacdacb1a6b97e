"""The live page in a headless Chromium: clicks, typing, keys, and a server that is killed and comes again."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.patience import PATIENCE
from tests.serve.servers import Running, query_file, serving

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    page = chromium.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    page.close()
    assert faults == []


def rise(running: Running, time: int, who: str) -> None:
    running.send((time, who, "low"), (time + 1, who, "high"), (time + 2, "later", "mid"))


def test_answers_come_and_tell_why(tmp_path: Path, page: Any) -> None:
    with serving(query_file(tmp_path), "--why") as running:
        page.goto(running.address)
        page.wait_for_selector("#link.open")
        rise(running, 10, "a")
        page.wait_for_selector("#answers li:has-text('?x :a')")
        page.click("#answers li")
        page.wait_for_selector("#why svg")
        page.keyboard.press("Escape")
        page.wait_for_selector("#why-part", state="hidden")
        rise(running, 20, "b")
        page.wait_for_selector("#answers li:first-child:has-text('?x :b')")
        page.focus("#answers")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector("#why svg")
        page.wait_for_selector("#streams li:has-text(':later')")
        assert page.locator("#timeline rect").count() >= 2


def test_a_query_is_written_marked_registered_and_removed(page: Any) -> None:
    with serving() as running:
        page.goto(running.address)
        page.click("#text")
        page.keyboard.type("SELECT ?x { ?x a evnt:Storm }")
        page.wait_for_selector("#problem.wrong:has-text('EP106')")
        assert page.inner_text("#marks .wrong") == "evnt:"
        page.fill("#text", "SELECT ?x { ?x <urn:is> 'low' } SE")
        page.press("#text", "Control+Space")
        page.wait_for_selector("#completions li:has-text('SEQ')")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.keyboard.type(" { ?x <urn:is> 'high' }")
        page.wait_for_selector("#problem.odd:has-text('EW30')")  # its goals wait for ever
        page.fill("#name", "rise")
        page.press("#text", "Control+Enter")
        page.wait_for_selector("#problem:has-text('registered as rise')")
        page.wait_for_selector("#plan svg")
        assert [each["name"] for each in running.get("/queries").json()] == ["rise"]
        page.once("dialog", lambda dialog: dialog.accept())
        page.click("#queries button:has-text('Remove')")
        page.wait_for_selector("#no-queries:visible")
        assert running.get("/queries").json() == []


def test_prolog(page: Any) -> None:
    with serving() as running:
        page.goto(running.address)
        page.fill("#goal", "member(X, [1, 2]).")
        page.press("#goal", "Enter")
        page.wait_for_selector("#solutions:has-text('X = 2')")
        page.fill("#goal", "foo(")
        page.press("#goal", "Enter")
        page.wait_for_selector("#solutions:has-text('EP301')")


def test_a_server_that_is_killed_and_comes_again(tmp_path: Path, page: Any) -> None:
    words = [query_file(tmp_path), "--state", tmp_path / "state"]
    with serving(*words) as running:
        page.goto(running.address)
        rise(running, 10, "a")
        page.wait_for_selector("#answers li:has-text('?x :a')")
        port = httpx.URL(running.address).port
        running.end(signal.SIGKILL)
    page.wait_for_selector("#link.lost")
    with serving(*words, "--port", port) as running:
        page.wait_for_selector("#link.open")
        rise(running, 20, "b")
        page.wait_for_selector("#answers li:has-text('?x :b')")
        assert page.locator("#answers li:has-text('?x :a')").count() == 1


def test_a_token_is_asked_for(tmp_path: Path, page: Any) -> None:
    tokens = tmp_path / "tokens.yaml"
    tokens.write_text("anna: {token: anna-anna-anna-anna, roles: [watch]}\n")
    with serving("--tokens", tokens, token="anna-anna-anna-anna") as running:
        page.goto(running.address)
        page.fill("#token", "anna-anna-anna-anna")
        page.keyboard.press("Enter")
        page.wait_for_selector("#link.open")


def test_on_a_phone_nothing_is_wider_than_the_screen(chromium: Any, tmp_path: Path) -> None:
    page = chromium.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
    with serving(query_file(tmp_path), "--why") as running:
        page.goto(running.address)
        rise(running, 10, "a")
        page.wait_for_selector("#answers li")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        page.close()


def test_what_the_page_is_made_of_is_there_and_nothing_else() -> None:
    with serving() as running:
        assert running.get("/").headers["content-security-policy"].startswith("default-src 'self'")
        assert running.get("/page/app.js").headers["content-type"].startswith("text/javascript")
        for name in ("../host.py", "..%2fhost.py", "none.js"):
            assert running.get(f"/page/{name}").status_code == 404
