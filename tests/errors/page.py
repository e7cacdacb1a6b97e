"""Writes docs/errors.md from what is known of the codes: python tests/errors/page.py."""

from __future__ import annotations

from pathlib import Path

from etalis_py.core.explanations import explanation, explanations

PAGE = Path(__file__).resolve().parents[2] / "docs" / "errors.md"

INTRODUCTION = """\
# Errors

<!-- Written by tests/errors/page.py from etalis_py/core/explanations.py. -->

Every message begins with a code, then comes the place: line and column of a query, or file, line and row of
the data (rows count from 1, without a header line). What follows says what is wrong; where the text of a
query is wrong, it is shown with a mark under it. A hint says how to fix it.

    {example}

The exit code of a command is 2 for a bad query or bad arguments (EP1xx, EP2xx, EP5xx), 3 for bad data
(EP4xx), and 4 for a failure while running (EP3xx, EP53x and EP61x). In Python each is an exception of
`etalis_py`: `QuerySyntaxError` (EP1xx), `CompileError` (EP2xx), `RunTimeError` (EP3xx), `DataError`
(EP4xx) and `UsageError` (EP5xx), all of them `EtalisError`, with `code`, `message`, `place` and `hint`. Those
of Spark's sources and sinks (EP60x) are a `DataError`, a `UsageError` or, EP608, a `RunTimeError`; those of a
server (EP62x) are a `UsageError`, and come to clients as problem details (docs/serve.md).

Warnings (EW) stop nothing. In Python they are an `EtalisWarning` of `etalis_py`, shown by Python's
`warnings`.

Each code is shown with one message as an example; `etalis explain EP413` prints the same.
"""
PARTS = {
    "EP1": "Syntax: the text is not EP-SPARQL",
    "EP2": "Compilation: the query cannot be run",
    "EP3": "Run time",
    "EP40": "Streams",
    "EP42": "Background",
    "EP43": "Mappings of ordinary data",
    "EP44": "Prolog files",
    "EP45": "Recordings of the demos",
    "EP46": "Roads and tours of the demos",
    "EP5": "Arguments and set-up",
    "EP60": "Spark's sources and sinks",
    "EP61": "Clusters and their workers",
    "EP62": "Servers",
    "EP63": "Sources and sinks",
    "EW": "Warnings",
}


def part_of(code: str) -> str:
    """The heading under which a code stands."""
    first = "EP42" if code == "EP430" else code[:4].replace("EP41", "EP40")
    return PARTS.get(first) or PARTS.get(code[:3]) or PARTS[code[:2]]


def error_page() -> str:
    """The text of docs/errors.md."""
    example = explanation("EP106").message.replace("\n", "\n    ")
    lines = [INTRODUCTION.format(example=example)]
    heading = ""
    for each in explanations():
        if part_of(each.code) != heading:
            heading = part_of(each.code)
            lines.append(f"## {heading}\n")
        lines.append(f"### {each.code}: {each.meaning}\n\n```text\n{each.message}\n```\n")
        if each.remedy is not None:
            lines.append(f"To fix it: {each.remedy}.\n")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(error_page(), encoding="utf-8")
