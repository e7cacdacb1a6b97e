"""What writers know of queries before their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from etalis_py.core.errors import UsageError
from etalis_py.core.value_class import value_class

__all__ = ["Form", "QueryHead", "columns_of", "wrong_form"]

Form = Literal["select", "construct", "ask", "describe"]


@value_class
class QueryHead:
    """What a writer has to know of a query before its first match: name, form, variables in their order.

    ``prefixes`` (prefix without colon, to namespace) let the table show short names.
    """

    name: str
    form: Form = "select"
    variables: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)


def columns_of(head: QueryHead) -> tuple[str, ...]:
    """The columns beside start and end: variables, ``boolean`` for an ASK, or those of triples."""
    return {"select": head.variables, "ask": ("boolean",)}.get(head.form, ("s", "p", "o"))


def wrong_form(name: str, head: QueryHead) -> UsageError:
    """EP526 for a query whose answers the format ``name`` cannot hold."""
    what = {
        "select": "a SELECT gives solutions",
        "construct": "a CONSTRUCT gives triples",
        "ask": "an ASK gives yes or no",
        "describe": "a DESCRIBE gives triples",
    }
    triples = head.form in ("construct", "describe")
    hint = "use nquads or ndjson" if triples else "use ndjson, json, csv, tsv or table"
    return UsageError("EP526", f"{head.name!r}: {what[head.form]}, which {name} cannot hold", hint=hint)
