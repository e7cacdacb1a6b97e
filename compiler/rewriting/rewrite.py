"""Queries in another dialect: where windows are declared, where patterns look, and what is left unsaid.

What a dialect leaves unsaid, and another would mean otherwise, is said by PRAGMAs. Dao-Tran, Beck, Eiter
(Towards Comparing RDF Stream Processing Semantics, 2015, section 3) translate between C-SPARQL and CQELS; the
cautious translation is theirs of each triple, the brave one lets patterns of windows look at all windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra.dialects import WindowsIn, dialect_of
from etalis_py.compiler.algebra.functions import TIMESTAMP, WINDOW_FUNCTIONS
from etalis_py.compiler.algebra.stream_windows import Report
from etalis_py.compiler.algebra.translate import sought
from etalis_py.compiler.algebra.windowed import streams_by_name
from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.compiler.languages.languages import read_program
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.dialect_names import DialectName
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.syntax_walk import children, walk
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.rewriting.edits import Edits
from etalis_py.compiler.rewriting.extents import extent_text
from etalis_py.compiler.rewriting.lengths import Lengths
from etalis_py.compiler.rewriting.settings import change_settings, has_start
from etalis_py.compiler.spans import Span
from etalis_py.core.errors import CompileError

__all__ = ["rewrite"]

_BRAVE: Final = "if neither the background nor other windows have what its patterns ask for: --brave"


def rewrite(
    text: str,
    to: DialectName,
    *,
    language: LanguageName | None = None,
    brave: bool = False,
    source: str | None = None,
    base: str | None = None,
) -> str:
    """The queries of ``text``, written in the dialect ``to``; ``language`` is theirs if they do not say so.

    With ``brave`` patterns of one window may look at all windows and the background, where the dialect has no
    other way: that means the same while none of these has what the patterns ask for.

    Raises:
        QuerySyntaxError: the text is not one of queries.
        CompileError: EP222 for what has no counterpart, and whatever else is wrong with a query.

    >>> print(rewrite("SELECT ?x FROM STREAM <urn:s> [RANGE 1m STEP 1m] { ?x <urn:p> 1 }", "rspql"))
    PRAGMA window-bounds closed-open
    PRAGMA nonempty on
    SELECT ?x FROM WINDOW ON <urn:s> [RANGE PT1M STEP PT1M] { ?x <urn:p> 1 }
    """
    query_text = QueryText(text, source, base)
    edits = Edits(text)
    for read in read_program(text, source, language):
        _Rewriting(read.query, query_text, to, edits, brave=brave).rewrite()
    return edits.done()


class _Rewriting:
    """One query, and what is changed in its text."""

    def __init__(
        self, query: syntax.Query, text: QueryText, to: DialectName, edits: Edits, *, brave: bool
    ) -> None:
        self._query, self._form = query, query.form
        self._text, self._edits, self._brave = text, edits, brave
        names = Names(query.prologue, text=text.text, source=text.source, base=text.base)
        self._resolve = names.resolve
        self._nodes = list(walk(query.form))
        self._dialect, self._to = dialect_of(query, text), dialect_of(query, text, to)
        self._lengths = Lengths(text, to, self._dialect)
        self._starts, self._closes = False, True
        self._named = {
            self._resolve(each.name): each
            for each in query.form.windows
            if each.name is not None and each.word != "STREAM"
        }
        declared = {self._resolve(each.stream): each for each in query.form.windows if each.word == "STREAM"}
        looked_at = ((pattern, self._resolve(name)) for pattern, name in streams_by_name(query))
        self._apart = {pattern: declared[stream] for pattern, stream in looked_at if stream in declared}
        """Those of FROM STREAM that a STREAM looks at by itself."""
        self._default = [
            each
            for each in query.form.windows
            if (each.name is None or each.word == "STREAM") and each not in self._apart.values()
        ]

    def rewrite(self) -> None:
        """Change the text.

        Raises:
            CompileError: EP222.
        """
        _, windowed = sought(self._query, self._text)
        if windowed is None:
            hint = "only what has windows on streams is in a dialect"
            raise self._text.error(
                "EP222", "a query without windows has no dialect", self._form.span, hint=hint
            )
        self._starts = has_start(self._query, self._dialect)
        self._closes = windowed.schedule.report is Report.CLOSE or not self._dialect.moving
        registration = self._query.registration
        if registration is not None and registration.every is not None and not self._lengths.stay:
            self._edits.replace(registration.every.span, self._lengths.written(registration.every))
        if self._to.name != "rspql":
            self._refuse_what_is_of_rspql()
        if self._to.name != "csparql":
            for each in self._nodes:
                if isinstance(each, syntax.AggregateClause):
                    hint = "count in a sub-SELECT: { SELECT ?x (COUNT(*) AS ?n) { ... } GROUP BY ?x }"
                    raise self._refused("AGGREGATE", each.span, hint)
        change_settings(self._query, self._text, windowed, self._to, self._edits)
        match self._to.windows:
            case WindowsIn.NAMES:
                self._name_windows()
            case WindowsIn.PATTERNS:
                self._put_windows_into_patterns()
            case WindowsIn.DEFAULT_GRAPH:
                self._merge_windows()
            case _:
                assert_never(self._to.windows)

    def _refused(self, what: str, span: Span, hint: str | None = None) -> CompileError:
        message = f"{what} has no counterpart in {self._to.title}"
        hint = hint or "docs/windows.md#in-another-dialect says what each dialect has"
        return self._text.error("EP222", message, span, hint=hint)

    def _refuse_what_is_of_rspql(self) -> None:
        for event in self._form.events:
            raise self._refused("EVENT ON", event.span)
        for node in self._nodes:
            if isinstance(node, syntax.MatchPattern):
                raise self._refused("MATCH", node.span)
            if isinstance(node, syntax.BuiltInCall) and node.name in WINDOW_FUNCTIONS:
                raise self._refused(self._text.written(node.span), node.span)
            if isinstance(node, syntax.WindowPattern) and isinstance(node.name, syntax.Variable):
                raise self._refused(f"WINDOW with a variable, ?{node.name.name},", node.span)

    # ---- RSP-QL -----------------------------------------------------------------------------------------

    def _name_windows(self) -> None:
        for each in self._default:
            self._edits.replace(each.span, f"FROM WINDOW ON {self._declared(each.stream, each.extent)}")
        for each in self._apart.values():
            self._edits.remove(each.span)
        clauses: dict[str, str] = {}
        for pattern, extent in self._inline:
            if isinstance(pattern.name, syntax.Variable):
                raise self._refused(f"STREAM with a variable, ?{pattern.name.name},", pattern.span)
            declared = self._declared(pattern.name, extent)
            name = clauses.setdefault(declared, f"<urn:window:{len(clauses) + 1}>")
            self._edits.replace(_head(pattern), f"WINDOW {name} ")
        self._declare([f"FROM NAMED WINDOW {name} ON {declared}" for declared, name in clauses.items()])

    # ---- CQELS ------------------------------------------------------------------------------------------

    def _put_windows_into_patterns(self) -> None:
        looked_at = set()
        for node in self._nodes:
            if isinstance(node, syntax.WindowPattern):
                assert not isinstance(node.name, syntax.Variable)
                window = self._named[self._resolve(node.name)]
                looked_at.add(window)
                self._edits.replace(_head(node), f"STREAM {self._declared(window.stream, window.extent)} ")
        for pattern, extent in self._inline:
            if pattern in self._apart:
                looked_at.add(self._apart[pattern])
                self._edits.replace(_head(pattern), f"STREAM {self._declared(pattern.name, extent)} ")
            else:
                self._edits.replace(extent.span, self._extent(extent))
        triples = list(self._of_default_graph(self._form)) if self._default else []
        for block in triples:
            self._edits.replace(block.span, "\n  ".join(map(self._anywhere, self._triples(block))))
        if triples:
            looked_at |= set(self._default)
        for window in self._form.windows:
            if window not in looked_at:
                raise self._refused("a window that no pattern looks at", window.span)
            self._edits.remove(window.span)

    def _of_default_graph(self, node: syntax.Node) -> Iterator[syntax.TriplesBlock]:
        """The triples that are matched with all windows and the background."""
        for each in children(node):
            if isinstance(each, syntax.TriplesBlock):
                yield each
            elif isinstance(each, syntax.FunctionCall) and self._resolve(each.function) == TIMESTAMP:
                raise self._refused("f:timestamp of a triple in any of the windows", each.span)
            elif not isinstance(each, syntax.WindowPattern | syntax.StreamPattern | syntax.GraphPattern):
                yield from self._of_default_graph(each)

    def _triples(self, block: syntax.TriplesBlock) -> Iterator[str]:
        written = self._text.text
        for subject in block.subjects:
            for properties in subject.properties or (subject,):
                if not isinstance(properties, syntax.PropertyObjects):
                    raise self._refused("a list, or a blank node, over the default graph", subject.span)
                for target in properties.objects:
                    parts = (subject.subject, properties.verb, target)
                    for part in parts:
                        if not isinstance(part, _TERMS):
                            what = "a path, a list, or a blank node, over the default graph"
                            raise self._refused(what, part.span)
                    if not any(isinstance(part, syntax.Variable) for part in parts):
                        raise self._refused(
                            "a triple without a variable over the default graph", subject.span
                        )
                    yield " ".join(written[part.span.start : part.span.end] for part in parts)

    def _anywhere(self, triple: str) -> str:
        """What any window has, or the background, once: the cautious translation."""
        windows = dict.fromkeys(self._declared(each.stream, each.extent) for each in self._default)
        ways = [f"{{ {triple} }}", *(f"{{ STREAM {each} {{ {triple} }} }}" for each in windows)]
        return f"{{ SELECT DISTINCT * {{ {' UNION '.join(ways)} }} }}"

    # ---- C-SPARQL and SPARQLstream ----------------------------------------------------------------------

    def _merge_windows(self) -> None:
        """All windows belong to the default graph."""
        for each in self._default:
            self._edits.replace(each.span, self._from(each.stream, each.extent))
        lifted: dict[syntax.StreamWindow, syntax.Node] = {}
        clauses = []
        for each in self._apart.values():
            self._edits.replace(each.span, self._from(each.stream, each.extent))
        for pattern in self._apart if self._to.name != "csparql" else ():
            self._lift(pattern)
        for node in self._nodes:
            if isinstance(node, syntax.WindowPattern):
                assert not isinstance(node.name, syntax.Variable)
                self._lift(node)
                window = self._named[self._resolve(node.name)]
                if window not in lifted:
                    lifted[window] = node
                    self._edits.replace(window.span, self._from(window.stream, window.extent))
            elif isinstance(node, syntax.StreamPattern) and node.extent is not None:
                if isinstance(node.name, syntax.Variable):
                    raise self._refused(f"STREAM with a variable, ?{node.name.name},", node.span)
                self._lift(node)
                clauses.append(self._from(node.name, node.extent))
        for name, window in self._named.items():
            if window not in lifted:
                raise self._refused(f"<{name}>, a named window that no pattern looks at,", window.span)
        self._declare(list(dict.fromkeys(clauses)))
        self._refuse_two_windows_of_a_stream()

    def _lift(self, pattern: syntax.WindowPattern | syntax.StreamPattern) -> None:
        """Let the patterns of a window look at all windows."""
        if not self._brave:
            what = self._text.written(_head(pattern))
            raise self._refused(
                f"{what}, one window apart from others and the background,", pattern.span, _BRAVE
            )
        for node in walk(pattern.group):
            if isinstance(node, syntax.GraphPattern):
                raise self._refused("GRAPH for the elements of a window", node.span)
        self._edits.replace(_head(pattern), "")

    def _refuse_two_windows_of_a_stream(self) -> None:
        first: dict[str, tuple[str, Span]] = {}
        inline = (
            (each.name, extent) for each, extent in self._inline if not isinstance(each.name, syntax.Variable)
        )
        named = ((each.stream, each.extent) for each in self._named.values())
        for name, extent in (*named, *inline):
            held = self._extent(extent)
            if first.setdefault(self._resolve(name), (held, extent.span))[0] != held:
                raise self._refused("a second window on one stream, with patterns of its own,", extent.span)

    def _from(self, stream: syntax.Iri, extent: syntax.StreamExtent) -> str:
        words = "FROM STREAM" if self._to.name == "csparql" else "FROM NAMED STREAM"
        return f"{words} {self._declared(stream, extent)}"

    # ---- helpers ----------------------------------------------------------------------------------------

    @property
    def _inline(self) -> list[tuple[syntax.StreamPattern, syntax.StreamExtent]]:
        """The windows that patterns look at by themselves, without a name."""
        return [
            *(
                (each, each.extent)
                for each in self._nodes
                if isinstance(each, syntax.StreamPattern) and each.extent is not None
            ),
            *((each, window.extent) for each, window in self._apart.items()),
        ]

    def _declared(self, stream: syntax.Variable | syntax.Iri, extent: syntax.StreamExtent) -> str:
        name = self._text.text[stream.span.start : stream.span.end]
        bare = isinstance(stream, syntax.IriRef) and not name.startswith("<")
        return f"{f'<{name}>' if bare else name} [{self._extent(extent)}]"

    def _extent(self, extent: syntax.StreamExtent) -> str:
        found = extent_text(extent, self._lengths, starts=self._starts, closes=self._closes)
        if found is None:
            raise self._refused(f"the window [{self._text.written(extent.span)}]", extent.span)
        return found

    def _declare(self, clauses: list[str]) -> None:
        """Put clauses before WHERE, or before the braces where that word is left out."""
        if not clauses or self._form.where is None:
            return
        before = self._text.text[: self._form.where.span.start]
        bare = before.rstrip()
        place = len(bare) - len("WHERE") if bare.upper().endswith("WHERE") else len(before)
        self._edits.insert(place, "".join(f"{each}\n" for each in clauses))


_TERMS: Final = (syntax.Variable, syntax.IriRef, syntax.PrefixedName, syntax.Literal)


def _head(pattern: syntax.WindowPattern | syntax.StreamPattern) -> Span:
    """What stands before the braces of a pattern."""
    return Span(pattern.span.start, pattern.group.span.start)
