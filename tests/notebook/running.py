"""Runs notebooks without a server: ``python -m tests.notebook.running FILE ...`` stores what cells give.

A cell runs in IPython's own shell, as a kernel would run it, in an empty folder.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

__all__ = ["NOTEBOOKS", "outputs_of", "shown", "stored"]

NOTEBOOKS: Final = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))
_remove_addresses = re.compile(r" at 0x[0-9a-f]+").sub
_BINARY: Final = ("image/png",)


def stored(path: Path) -> list[dict[str, Any]]:
    """The code cells of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [each for each in cells if each["cell_type"] == "code"]


def shown(outputs: list[dict[str, Any]]) -> str:
    """What a cell gives, as text."""
    texts = (each["text"] if "text" in each else each["data"].get("text/plain", "") for each in outputs)
    return _remove_addresses("", "\n".join("".join(text).rstrip() for text in texts))


def outputs_of(path: Path) -> Iterator[list[dict[str, Any]]]:
    """What each code cell gives, one after the other.

    Raises:
        Exception: what a cell raises.
    """
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell, cells, before = InteractiveShell(), stored(path), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in cells:
                with capture_output() as captured:
                    done = shell.run_cell("".join(cell["source"]), store_history=True)
                done.raise_error()
                yield list(_outputs(shell, captured, done.result))
        finally:
            os.chdir(before)


def _outputs(shell: Any, captured: Any, result: Any) -> Iterator[dict[str, Any]]:
    if result is not None:  # IPython prints it, too
        data, _ = shell.display_formatter.format(result)
        captured._stdout.truncate(len(captured.stdout[: captured.stdout.rfind("Out[")]))
    if captured.stdout:
        yield {"output_type": "stream", "name": "stdout", "text": captured.stdout.splitlines(keepends=True)}
    for each in captured.outputs:
        if "text/plain" not in each.data or each.data["text/plain"]:
            yield {"output_type": "display_data", "data": _stored(each.data), "metadata": {}}
    if result is not None:
        yield {
            "output_type": "execute_result",
            "execution_count": None,
            "data": _stored(data),
            "metadata": {},
        }


def _stored(data: dict[str, Any]) -> dict[str, Any]:
    return {
        kind: base64.b64encode(value).decode() + "\n" if kind in _BINARY and isinstance(value, bytes)
        else value.splitlines(keepends=True)
        for kind, value in data.items()
    }  # fmt: skip


def write(path: Path) -> None:
    """Run a notebook, and store what its cells give in it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    given = outputs_of(path)
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{number}"
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "metadata": {}, "outputs": next(given)}
    list(given)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(Path(name).resolve())
