"""The site that ``make site`` builds: all pages are in it, no link is broken, and nothing is fetched."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.patience import PATIENCE

pytest.importorskip("material", reason="mkdocs-material is not installed")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr  # a link that leads nowhere, a page that is not in the contents
    return folder


def test_each_page_is_there_and_can_be_found(site: Path) -> None:
    pages = {path.stem for path in (PROJECT / "docs").glob("*.md")}
    assert {path.stem for path in site.glob("*.html")} == {*pages, "index", "404"}
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert [name for name in pages if f'"{name}.html' not in index] == []


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    fetched = re.compile(
        r"""<(?:script|img|iframe)[^>]*src="https?:|<link[^>]*href="https?:[^>]*stylesheet"""
    ).search
    assert [path.name for path in site.glob("*.html") if fetched(path.read_text(encoding="utf-8"))] == []


def test_blocks_that_are_files_have_their_names(site: Path) -> None:
    assert '<span class="filename">seq.rq</span>' in (site / "language.html").read_text(encoding="utf-8")
    assert '<span class="filename">goods.ttl</span>' in (site / "index.html").read_text(encoding="utf-8")


def test_search_works_without_a_server(site: Path, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no chromium")
    options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}")
    address = f"{(site / 'index.html').as_uri()}?q=tsunami"
    command = [browser, *options, "--virtual-time-budget=20000", "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert re.search(r'class="md-search-result__meta">\d+ matching documents', done.stdout)
    assert 'href="tsunami.html' in done.stdout
