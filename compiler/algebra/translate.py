"""From the syntax tree to the algebra (SPARQL 1.1, section 18.2, and the EP-SPARQL operators).

What parses but cannot be run is refused here, at its place, with EP201; nothing is ignored.
"""

from __future__ import annotations

from functools import reduce

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.datasets import dataset_of
from etalis_py.compiler.algebra.dialects import DIALECT_PRAGMAS
from etalis_py.compiler.algebra.policies import Policy, policy_of, policy_of_pairs
from etalis_py.compiler.algebra.scope import certain_variables
from etalis_py.compiler.algebra.snapshots import at_instants
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.algebra.translate_modifiers import ModifierTranslator
from etalis_py.compiler.algebra.translate_patterns import PatternTranslator, join, variable_of
from etalis_py.compiler.algebra.windowed import Windowed, windowed
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.answer_limit import MAX_ANSWERS, is_count
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span

__all__ = ["sought", "translate"]

_DESCRIBED = (algebra.Variable("_: subject"), algebra.Variable("_: predicate"), algebra.Variable("_: object"))
"""The columns of DESCRIBE; the blank keeps them apart from labels of blank nodes."""
_MADE = (algebra.Variable("subject"), algebra.Variable("predicate"), algebra.Variable("object"))
"""The same in a template, where a name as above is that of a blank node."""


def translate(
    query: syntax.Query,
    query_text: QueryText,
    policy: Policy | None = None,
    *,
    has_graphs: bool = True,
    traced: bool = False,
) -> algebra.Query:
    """The algebra of one query, which is asked under ``policy``.

    Without ``has_graphs`` the background has no named graphs: GRAPH asks for elements of the streams.
    ``traced``: answers tell what they are made of.

    Raises:
        CompileError: EP201 for what cannot be run, EP202 and EP203 for functions that do not fit, EP204 for a
            PRAGMA, EP209 and EP210 for SERVICE and windows, EP213 for what cannot stand in an element, EP217
            and EP218 for windows on streams.
        QuerySyntaxError: a prefix that is not declared.
    """
    return _Translator(query, query_text, policy, has_graphs=has_graphs, traced=traced).query(query.form)


def sought(query: syntax.Query, query_text: QueryText) -> tuple[algebra.Pattern, Windowed | None]:
    """What a query looks for, and apart from that what its windows are and when it is evaluated.

    Raises:
        CompileError, QuerySyntaxError: as `translate` does.
    """
    policy = policy_of(query.prologue, "unrestricted", query_text)
    translator = _Translator(query, query_text, policy, has_graphs=True, traced=False)
    return translator.sought(query.form), translator.windowed


class _Translator:
    def __init__(
        self,
        query: syntax.Query,
        query_text: QueryText,
        policy: Policy | None,
        *,
        has_graphs: bool,
        traced: bool,
    ) -> None:
        names = Names(query.prologue, text=query_text.text, source=query_text.source, base=query_text.base)
        self._text = query_text
        self._traced = traced
        self.windowed = windowed(query, names.resolve, query_text, policy)
        self._check_pragmas(query.prologue)
        windows = {} if self.windowed is None else self.windowed.named
        expressions = ExpressionTranslator(query_text, names, windows)
        dataset = dataset_of(query.form.datasets, names.resolve)
        self._expressions = expressions
        self._patterns = PatternTranslator(
            query_text,
            expressions,
            dataset,
            policy_of_pairs(query, policy),
            has_graphs=has_graphs,
            windowed=self.windowed,
        )
        self._modifiers = ModifierTranslator(query_text, expressions, self._patterns)

    def _check_pragmas(self, prologue: syntax.Prologue) -> None:
        for declaration in prologue.declarations:
            if not isinstance(declaration, syntax.Pragma):
                continue
            if declaration.name in DIALECT_PRAGMAS:
                if self.windowed is None:
                    message = f"PRAGMA {declaration.name} is for queries with windows on streams"
                    raise self._text.error("EP204", message, declaration.span)
                continue
            if declaration.name not in ("policy", MAX_ANSWERS):
                hint = f"there are policy, {MAX_ANSWERS}, {', '.join(DIALECT_PRAGMAS)}"
                message = f"there is no PRAGMA {declaration.name}"
                raise self._text.error("EP204", message, declaration.span, hint=hint)
            if declaration.name == MAX_ANSWERS and not is_count(declaration.value):
                message = f"{MAX_ANSWERS} cannot be {declaration.value!r}"
                raise self._text.error(
                    "EP204", message, declaration.span, hint="it is a whole number above 0"
                )

    def sought(self, form: syntax.QueryForm) -> algebra.Pattern:
        return (
            self._modifiers.select(form)
            if isinstance(form, syntax.Select)
            else self._modifiers.solutions(form)
        )

    def query(self, form: syntax.QueryForm) -> algebra.Query:
        match form:
            case syntax.Select():
                pattern = self._evaluated(self.sought(form))
                ordered = bool(form.modifiers.order_by)
                output = None if self.windowed is None else self.windowed.output
                return algebra.SelectQuery(
                    pattern, algebra.variables(pattern), ordered, output, span=form.span
                )
            case syntax.Construct():
                pattern = self._evaluated(self.sought(form))
                stream = None if form.stream is None else self._expressions.constant(form.stream)
                if self.windowed is not None and self.windowed.output is not None:
                    stream = algebra.Constant(self.windowed.output, span=form.span)
                template = self._patterns.triples.template(form.template, stream)
                into = None if stream is None else str(stream.value)
                return algebra.ConstructQuery(pattern, template, into, span=form.span)
            case syntax.Ask():
                pattern = algebra.Project(self.sought(form), (), span=form.span)
                if self.windowed is not None:
                    pattern = self._evaluated(pattern, asks=True)
                    return algebra.SelectQuery(
                        pattern, algebra.variables(pattern), False, self.windowed.output, span=form.span
                    )
                return algebra.AskQuery(pattern, span=form.span)
            case syntax.Describe():
                return self._describe(form)
            case _:
                assert_never(form)

    def _evaluated(self, pattern: algebra.Pattern, *, asks: bool = False) -> algebra.Pattern:
        """Of a windowed query what it gives at its instants; any other pattern as it is.

        If it ``asks``, that is whether there is a solution, each time.
        """
        if self.windowed is None:
            return pattern
        self._patterns.times.refuse_others()
        return at_instants(pattern, self.windowed, self._text, asks=asks, traced=self._traced)

    def _describe(self, form: syntax.Describe) -> algebra.DescribeQuery | algebra.ConstructQuery:
        """The triples with the resource as subject: those of the background, and of the stream as they come.

        Over windows those that any of them holds at the instant, of a resource that is named whatever the
        solutions are; what is registered makes a stream of them. SPARQL 1.1, section 16.4 leaves to the
        service what a description is.
        """
        solutions = self._modifiers.solutions(form)
        subjects: list[algebra.TermPattern] = []
        if form.subjects is None:
            subjects += [each for each in algebra.variables(solutions) if not each.is_hidden]
        for each in form.subjects or ():
            if isinstance(each, syntax.Variable):
                subjects.append(variable_of(each))
            else:
                subjects.append(algebra.Constant(self._expressions.iri(each), span=each.span))
        described = [self._described(solutions, each, form.span) for each in subjects]
        if not described:
            raise self._text.error("EP211", "DESCRIBE * finds no variable to describe", form.span)
        pattern = self._evaluated(algebra.Distinct(reduce(_union, described), span=form.span))
        stream = None if self.windowed is None else self.windowed.output
        if stream is None:
            return algebra.DescribeQuery(pattern, _DESCRIBED, span=form.span)
        for made, found in zip(_MADE, _DESCRIBED, strict=True):
            pattern = algebra.Extend(pattern, made, found, span=form.span)
        place = algebra.Place(algebra.Constant(stream, span=form.span))
        template = algebra.TriplePattern(*_MADE, place=place, span=form.span)
        pattern = algebra.Project(pattern, _MADE, span=form.span)
        return algebra.ConstructQuery(pattern, (template,), stream, span=form.span)

    def _described(
        self, solutions: algebra.Pattern, resource: algebra.TermPattern, span: Span
    ) -> algebra.Pattern:
        _, predicate, target = _DESCRIBED
        about = self._patterns.anywhere(resource, predicate, target, span)
        if isinstance(resource, algebra.Variable) and resource not in certain_variables(solutions):
            bound = algebra.Apply("BOUND", (resource,), span=span)
            solutions = algebra.Filter(bound, solutions, span=span)
        always = self.windowed is not None and isinstance(resource, algebra.Constant)
        joined = about if always else join(solutions, about)
        named = algebra.Extend(joined, _DESCRIBED[0], resource, span=span)
        return algebra.Project(named, _DESCRIBED, span=span)


def _union(left: algebra.Pattern, right: algebra.Pattern) -> algebra.Pattern:
    return algebra.Union(left, right, span=left.span)
