"""Windows on streams that are declared, and that nothing in the query looks at."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra.functions import WINDOW_FUNCTIONS
from etalis_py.compiler.lint.findings import Finding, Subject
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.syntax_walk import walk

__all__ = ["unseen_windows"]


def unseen_windows(subject: Subject) -> Iterator[Finding]:
    """EW12: a window with a name that no WINDOW, EVENT, function of windows or DESCRIBE looks at."""
    query = subject.query.syntax
    if isinstance(query.form, syntax.Describe):
        return
    declared = [each for each in query.form.windows if each.name is not None and each.word != "STREAM"]
    if not declared:
        return
    names = Names(query.prologue, text=query.text)
    asked = list(_asked(query))
    if any(isinstance(each, syntax.Variable) for each in asked):
        return
    seen = {names.resolve(each) for each in asked if not isinstance(each, syntax.Variable)}
    for each in declared:
        assert each.name is not None
        if names.resolve(each.name) not in seen:
            name = subject.written(each.name.span)
            hint = (
                f"put patterns on it into WINDOW {name} {{ ... }}: outside of WINDOW they ask the background"
            )
            yield Finding("EW12", f"nothing looks at the window {name}", each.name.span, hint)


def _asked(query: syntax.Query) -> Iterator[syntax.Variable | syntax.Iri]:
    """The names of windows that are looked at; a variable stands for each."""
    for node in walk(query):
        if isinstance(node, syntax.WindowPattern):
            yield node.name
        elif isinstance(node, syntax.EventPattern) and node.stream is not None:
            yield node.stream
        elif isinstance(node, syntax.BuiltInCall) and node.name in WINDOW_FUNCTIONS:
            yield from (
                each for each in node.arguments if isinstance(each, syntax.IriRef | syntax.PrefixedName)
            )
