"""The live page in a headless Chromium: clicks, typing, keys, and a server that is killed and comes again."""

from __future__ import annotations

import re
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
        page.wait_for_selector("#sheet svg")
        page.keyboard.press("Escape")
        page.wait_for_selector("#sheet", state="hidden")
        rise(running, 20, "b")
        page.wait_for_selector("#answers li:first-child:has-text('?x :b')")
        page.focus("#answers")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        page.wait_for_selector("#sheet-title:has-text('Why answer 2')")
        page.wait_for_selector("#sheet svg")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector("#sheet-title:has-text('Why answer 1')")
        page.keyboard.press("Escape")
        page.wait_for_selector("#streams li:has-text(':later')")
        assert page.locator("#timeline rect").count() >= 2


def test_an_engine_that_has_failed_begins_anew(tmp_path: Path, page: Any) -> None:
    """EVERY would tick more than a million times in a year."""
    ticks = query_file(tmp_path, "SELECT ?x { ?x <urn:is> 'low' } SEQ { EVERY PT1S }", "ticks")
    with serving(ticks) as running:
        page.goto(running.address)
        page.wait_for_selector("#link.open")
        running.send((1, "a", "low"))
        assert not page.locator("#restart").is_visible()
        running.send((365 * 24 * 3600 * 1_000_000, "b", "mid"))
        page.wait_for_selector("#failure:has-text('has failed')")
        page.reload()  # who comes later is told, too
        page.wait_for_selector("#failure:has-text('has failed')")
        page.click("#restart")
        page.wait_for_selector("#failure", state="hidden")
        page.wait_for_selector("#restart", state="hidden")
        assert running.get("/ready").status_code == 200


def test_only_the_answers_of_one_query(tmp_path: Path, page: Any) -> None:
    every = query_file(tmp_path, "SELECT ?y { ?y <urn:is> ?what }", "every")
    with serving(query_file(tmp_path), every) as running:
        page.goto(running.address)
        rise(running, 10, "a")
        page.wait_for_selector("#answers .query:has-text('every')")
        page.select_option("#only", "rise")
        page.wait_for_selector("#answers .query:has-text('every')", state="detached")
        page.wait_for_selector("#answers li:has-text('?x :a')")
        assert page.locator("#answers li").count() == 1


def test_a_query_is_written_marked_registered_and_removed(page: Any) -> None:
    with serving() as running:
        page.goto(running.address)
        page.click("#text")
        page.keyboard.type("SELECT ?x { ?x a evnt:Storm . ?x cold:is 1 }")
        page.wait_for_selector("#problems .wrong:has-text('cold:')")
        assert page.locator("#marks .wrong").all_inner_texts() == ["evnt:", "cold:"]
        page.click("#problems .wrong:has-text('cold:') button")  # goes to the place
        assert page.evaluate("document.getElementById('text').selectionStart") == 33
        page.fill("#text", "SELECT ?x { ?x <urn:is> 'low' } SEQ { ?x <urn:is> 'high' }")
        page.wait_for_selector("#problems .odd:has-text('EW30')")  # its goals wait for ever
        page.wait_for_selector("#plan svg")
        page.wait_for_selector("#plan pre:has-text('on Spark: one stage')")
        page.fill("#name", "rise")
        page.press("#text", "Control+Enter")
        page.wait_for_selector("#problems .good:has-text('Registered as rise')")
        assert [each["name"] for each in running.get("/queries").json()] == ["rise"]
        running.send((1, "a", "low"), (2, "b", "low"))
        page.click("#queries button:has-text('rise')")
        page.wait_for_selector("#sheet svg")
        page.wait_for_selector("#sheet table:has-text('SEQ')")
        page.once("dialog", lambda dialog: dialog.accept())
        page.click("#sheet button:has-text('Remove')")
        page.wait_for_selector("#no-queries:visible")
        assert running.get("/queries").json() == []


def test_an_engine_that_has_failed_is_told_of(page: Any) -> None:
    window = "FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE PT1H STEP PT0.000001S]"
    steps = f"SELECT ?x {window} WHERE {{ WINDOW <urn:w> {{ ?x ?p ?y }} }}"
    with serving() as running:
        page.goto(running.address)
        page.wait_for_selector("#link.open")
        running.post("/queries", steps)
        running.send((1, "a", "low"), params={"stream": "urn:s"})
        running.send((10**11, "a", "low"), params={"stream": "urn:s"})
        page.wait_for_selector("#failure:has-text('The engine has failed')")


def test_a_token_without_the_role_watch_can_be_left(tmp_path: Path, page: Any) -> None:
    tokens = tmp_path / "tokens.yaml"
    tokens.write_text(
        "a: {token: sensors-sensors-1, roles: [feed]}\nb: {token: screen-screen-screen, roles: [watch]}\n"
    )
    with serving("--tokens", tokens) as running:
        page.goto(running.address)
        for token in ("nobody-nobody-nobody", "sensors-sensors-1"):
            page.fill("#token", token)
            page.press("#token", "Enter")
        page.wait_for_selector("#failure:has-text('has not the role')")
        page.wait_for_selector("#link:has-text('not connected')")
        page.click("#leave")
        page.wait_for_selector("#door[open]")
        page.fill("#token", "screen-screen-screen")
        page.press("#token", "Enter")
        page.wait_for_selector("#link.open")


def test_completion_by_keys(tmp_path: Path, page: Any) -> None:
    from playwright.sync_api import expect

    background = tmp_path / "pets.ttl"
    background.write_text("<urn:a> a <urn:Cat> ; <urn:owner> <urn:b> .")
    with serving("--background", background) as running:
        page.goto(running.address)
        page.fill("#text", "SELECT ?cat { ?cat a ")
        page.press("#text", "Control+End")
        page.keyboard.type("<")  # offers unasked
        page.wait_for_selector("#completions li:has-text('<urn:Cat>')")
        assert page.get_attribute("#text", "aria-activedescendant") == "completion-0"
        page.keyboard.press("Escape")
        page.wait_for_selector("#completions", state="hidden")
        page.keyboard.press("Control+Space")
        page.keyboard.type("urn:o")
        page.wait_for_selector("#completions li:only-child:has-text('<urn:owner>')")
        page.keyboard.press("Enter")
        assert page.input_value("#text") == "SELECT ?cat { ?cat a <urn:owner>"
        page.keyboard.type(" . ?")
        page.wait_for_selector("#completions li:has-text('?cat')")
        page.keyboard.press("Tab")
        assert page.input_value("#text").endswith(" . ?cat")
        page.keyboard.type(" <urn:p> 1 } OPTIONALS")
        page.keyboard.press("Control+Space")  # the only one is taken at once
        expect(page.locator("#text")).to_have_value(re.compile(r"OPTIONALSEQ$"))
        page.keyboard.type(" SE")
        page.keyboard.press("Control+Space")
        page.wait_for_selector("#completions li:has-text('SEQ')")
        chosen = page.inner_text("#completions [aria-selected=true] .text")
        page.keyboard.press("ArrowDown")
        assert page.inner_text("#completions [aria-selected=true] .text") != chosen
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        assert page.input_value("#text").endswith(f" {chosen}")


def test_prolog(page: Any) -> None:
    with serving() as running:
        page.goto(running.address)
        page.fill("#goal", "member(X, [1, 2]).")
        page.press("#goal", "Enter")
        page.wait_for_selector("#solutions:has-text('X = 2')")
        page.fill("#goal", "true ; X = 3")  # of the first answer X has no value
        page.press("#goal", "Enter")
        page.wait_for_selector("#solutions .solution:has-text('X = 3')")
        page.fill("#goal", "foo(")
        page.press("#goal", "Enter")
        page.wait_for_selector("#solutions .wrong:has-text('EP301')")
        for _ in range(3):
            page.press("#goal", "ArrowUp")
        assert page.input_value("#goal") == "member(X, [1, 2])."
        for _ in range(3):
            page.press("#goal", "ArrowDown")
        assert page.input_value("#goal") == ""


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


def test_a_server_without_state_begins_anew(tmp_path: Path, page: Any) -> None:
    with serving(query_file(tmp_path)) as running:
        page.goto(running.address)
        rise(running, 10, "a")
        page.wait_for_selector("#answers li:has-text('?x :a')")
        port = httpx.URL(running.address).port
        running.end(signal.SIGKILL)
    with serving(query_file(tmp_path), "--port", port) as running:
        rise(running, 20, "b")
        page.wait_for_selector("#answers li:has-text('?x :b')")
        assert page.locator("#answers li").count() == 1


def test_a_token_is_asked_for_and_who_only_watches_sees_no_more(tmp_path: Path, page: Any) -> None:
    tokens = tmp_path / "tokens.yaml"
    tokens.write_text("anna: {token: anna-anna-anna-anna, roles: [watch]}\n")
    with serving(query_file(tmp_path), "--tokens", tokens, token="anna-anna-anna-anna") as running:
        page.goto(running.address)
        page.fill("#token", "bert-bert-bert-bert")
        page.keyboard.press("Enter")
        page.wait_for_selector("#refused:visible")
        page.fill("#token", "anna-anna-anna-anna")
        page.keyboard.press("Enter")
        page.wait_for_selector("#link.open")
        assert page.locator("#writing:visible, #prolog:visible").count() == 0
        page.click("#queries button:has-text('rise')")
        page.wait_for_selector("#sheet svg")
        assert page.locator("#sheet button:has-text('Remove')").count() == 0


def test_many_queries_and_many_answers_do_not_freeze_it(tmp_path: Path, page: Any) -> None:
    """What came is drawn some times a second, and the newest stand there in the end."""
    queries = [query_file(tmp_path, f"SELECT ?x {{ ?x <urn:is> '{n % 2}' }}", f"q{n:03}") for n in range(100)]
    with serving(*queries) as running:
        page.goto(running.address)
        page.wait_for_selector("#queries tbody tr:nth-child(100)")
        page.evaluate("""() => {
            window.longest = 0;
            let last = performance.now();
            const look = (now) => {
                longest = Math.max(longest, now - last);
                last = now;
                requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
        }""")
        for part in range(10):
            running.send(*((100 * part + n, f"a{100 * part + n}", str(n % 2)) for n in range(100)))
        running.send((5000, "end", "0"), (5001, "after", "1"))
        page.wait_for_selector("#answers li:first-child:has-text('?x :end')")
        assert page.locator("#answers li").count() == 200
        assert page.inner_text("#answers li:first-child .number") == "50050"
        assert page.evaluate("longest") < 2000  # milliseconds, on a machine that is busy
        page.fill("#find-query", "q09")
        assert page.locator("#queries tbody tr:visible").count() == 10


def test_on_a_phone_nothing_is_wider_than_the_screen(chromium: Any, tmp_path: Path) -> None:
    page = chromium.new_page(viewport={"width": 375, "height": 800}, color_scheme="dark")
    with serving(query_file(tmp_path), "--why") as running:
        page.goto(running.address)
        rise(running, 10, "a")
        page.wait_for_selector("#answers li")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 375
        page.close()


def test_what_the_page_is_made_of_is_there_and_nothing_else() -> None:
    with serving() as running:
        assert running.get("/").headers["content-security-policy"].startswith("default-src 'self'")
        assert running.get("/page/app.js").headers["content-type"].startswith("text/javascript")
        for name in ("../host.py", "..%2fhost.py", "none.js"):
            assert running.get(f"/page/{name}").status_code == 404
