"""What the site has beside the pages of this folder: README.md as first page, and search without a server.

A hook of mkdocs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_README = Path(__file__).resolve().parents[1] / "README.md"
_WORKER = """\
// Pages opened as files may start no workers: what would be one, the search, runs in a frame.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = this.inner.document.createElement("script");
      script.src = url;
      this.loaded = new Promise((done) => script.addEventListener("load", done));
      this.inner.document.body.append(script);
    }
    postMessage(data) {
      this.loaded.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
"""
_to_the_project = re.compile(r"\[([^\]]*)\]\(\.\./(?!README\.md)[^)]*\)").sub
_replace_names = re.compile(
    r"^(?:<!-- file: (?P<noted>\S+) -->\n)?```(?P<language>\w+)(?: (?P<named>\S+))?$", re.MULTILINE
).sub


def on_files(files: Files, config: Any) -> Files:
    """Add the first page; what it links to below ``docs/`` lies beside it here."""
    text = _README.read_text(encoding="utf-8").replace("](docs/", "](")
    text = re.sub(r"\[([^\]]*)\]\((?!https?:|#)(?![^)]*\.(?:md|svg|png|ipynb)\b)[^)]*\)", r"\1", text)
    files.append(File.generated(config, "index.md", content=text))
    files.append(File.generated(config, "iframe-worker.js", content=_WORKER))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Say which file a block is, and lead to the first page. A link to what is not in the site is text."""
    named = _replace_names(_titled, markdown)
    return _to_the_project(r"\1", named.replace("](../README.md", "](index.md"))


def _titled(fence: re.Match[str]) -> str:
    """The first line of a block, with the name of its file where it is one."""
    name = fence["noted"] or fence["named"]
    return f"```{fence['language']}" + (f' title="{name}"' if name else "")
