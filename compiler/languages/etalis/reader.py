"""ETALIS files to syntax trees of EP-SPARQL, and to the static rules that stand among the event rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

import lark

from etalis_py.compiler.languages.etalis.names import NAMESPACE, Names
from etalis_py.compiler.languages.etalis.operators import WORDS, clause_term
from etalis_py.compiler.languages.etalis.rules import EventRule, Patterns
from etalis_py.compiler.languages.etalis.terms import (
    Atom,
    Compound,
    ListTerm,
    Number,
    Term,
    Variable,
    written,
)
from etalis_py.compiler.languages.remarks import ReadQuery, Remark
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.parser import checked
from etalis_py.compiler.spans import Span

__all__ = ["read_etalis", "static_rules"]

_ARROWS: Final = ("<-", "iff")
_LABELS: Final = (":", "rule:")
_POLICIES: Final = ("recent", "chronological", "unrestricted")
_PRINTING: Final = frozenset({"print_trigger", "external_trigger", "print_event", "persistent_event",
                              "persistent_rule", "print_all_triggers"})  # fmt: skip
_WRITING: Final = frozenset({"write", "writeln", "writeq", "print", "nl", "tab", "format"})
_PRINTED: Final = "what is printed is not chosen here: each rule gives its answers"
_UNSUPPORTED: Final = MappingProxyType(
    {
        "use_module": "put what it has into this file, or give several files",
        "module": "put what it has into this file, or give several files",
        "out_of_order": "say how late events may come: --on-late PT5S, Engine(on_late=...)",
        "garbage_control": "a window bounds what is kept: r([property(event_rule_window, 60)]): rule",
    }
)


@dataclass(slots=True)
class _File:
    """What a text holds."""

    rules: list[EventRule] = field(default_factory=list)
    static: list[Term] = field(default_factory=list)
    prefixes: dict[str, str] = field(default_factory=dict)
    properties: dict[str, Term] = field(default_factory=dict)
    policy: tuple[str, Span] | None = None
    has_nodes: bool = False
    needless: list[tuple[Span, str]] = field(default_factory=list)


def read_etalis(text: str, source: str | None = None) -> list[ReadQuery]:
    """The event rules of a text, each as a query.

    Raises:
        QuerySyntaxError: EP101, it cannot be read; EP123 to EP126, a rule says what has no counterpart.
    """
    try:
        file = _read(text)
        _check_rules(file, text)
        defined = frozenset(name for each in file.static for name in _defined(each))
        patterns = Patterns(Names(file.prefixes, has_nodes=file.has_nodes), defined)
        return [_query(each, patterns, file, text, source) for each in file.rules]
    except Fault as fault:
        raise fault.error(text, source) from None


def static_rules(text: str, source: str | None = None) -> str:
    r"""The static rules of a text as a rules file, in which names are the IRIs that they are in events.

    Each stands on its line.

    >>> static_rules("a(X) <- b(X) where (kind(X, fish)).\nkind(box2, fish).")
    "\n'kind'('urn:etalis:box2', 'urn:etalis:fish')."

    Raises:
        QuerySyntaxError: EP101, it cannot be read.
    """
    try:
        file = _read(text)
    except Fault as fault:
        raise fault.error(text, source) from None
    names = Names(file.prefixes)
    lines: list[str] = []
    for each in file.static:
        lines += [""] * (text.count("\n", 0, each.span.start) - len(lines))
        lines.append(f"{written(_named(each, names))}.")
    return "\n".join(lines)


# ---- clauses -----------------------------------------------------------------------------------------


def _read(text: str) -> _File:
    file = _File()
    for tree in _parsed(text):
        _take(clause_term(tree), file)
    file.rules = [
        replace(each, window=file.properties[each.label])
        if each.label in file.properties and each.window is None
        else each
        for each in file.rules
    ]
    return file


def _parsed(text: str) -> Sequence[lark.Tree[lark.Token]]:
    try:
        return _parser().parse(text).children  # type: ignore[return-value]
    except lark.UnexpectedToken as error:
        raise _unexpected(text, error.token) from None
    except lark.UnexpectedCharacters as error:
        place: int = error.pos_in_stream  # type: ignore[assignment]
        raise Fault("EP101", f"unexpected {text[place]!r}", Span(place, place + 1)) from None


def _unexpected(text: str, token: lark.Token) -> Fault:
    if token.type == "$END":
        hint = "a clause ends with a full stop"
        return Fault("EP101", "the text ends within a clause", Span(len(text), len(text)), hint)
    place = Span(token.start_pos or 0, token.end_pos or 0)
    not_closed = "a bracket before it is not closed" if token.type == "END" else None
    return Fault("EP101", f"unexpected {str(token)!r}", place, not_closed)


@lru_cache(maxsize=1)
def _parser() -> lark.Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return lark.Lark(grammar, start="program", parser="lalr", propagate_positions=True)


def _take(term: Term, file: _File) -> None:
    match term:
        case Compound(functor=functor, arguments=(head, body)) if functor in _ARROWS:
            _take_rule(head, body, term, file)
        case Compound(functor=functor, arguments=(label, rule)) if functor in _LABELS:
            _take_labelled(label, rule, file)
        case Compound(functor=":-" | "?-", arguments=(goal,)):
            _take_directive(goal, term, file)
        case Compound(functor="event_rule_property", arguments=(Atom(name=label), name, value)):
            if _is_window(name, file):
                file.properties[label] = value
        case Compound(functor="db" | "prolog" | "static", arguments=(clause,)):
            file.static.append(clause)
        case Compound(functor="set_etalis_flag"):
            _take_directive(term, term, file)
        case Compound(functor=functor) if functor in _PRINTING:
            file.needless.append((term.span, _PRINTED))
        case Compound(functor=functor) if functor in _UNSUPPORTED:
            raise Fault("EP126", f"{functor} has no counterpart", term.span, _UNSUPPORTED[functor])
        case Atom() | Compound():
            file.static.append(term)
        case _:
            raise Fault("EP101", "this is no clause", term.span)


def _take_rule(head: Term, body: Term, rule: Term, file: _File) -> None:
    """``d do goal <- a`` is ``d <- a do goal``, and that is ``d <- a where goal``."""
    if isinstance(head, Compound) and head.functor == "do":
        head, action = head.arguments
        body = Compound("where", (body, action), span=body.span)
    file.rules.append(EventRule(head, _pattern(body, file), rule.span))


def _pattern(body: Term, file: _File) -> Term:
    """A pattern without the rules within and what it prints.

    Of ``a seq (b <- c seq d)`` the inner rule is one of its own, and its event stands in its place.
    """
    match body:
        case Compound(functor=functor, arguments=(head, _)) if functor in _ARROWS:
            _take(body, file)
            return head
        case Compound(functor="where" | "check" | "timestamp" | "do", arguments=(pattern, goal)):
            condition = _without_printing(goal, file)
            inner = _pattern(pattern, file)
            return (
                inner if condition is None else replace(body, functor="where", arguments=(inner, condition))
            )
        case Compound(arguments=arguments):
            return replace(body, arguments=tuple(_pattern(each, file) for each in arguments))
        case _:
            return body


def _without_printing(goal: Term, file: _File) -> Term | None:
    """The goals that say or bind something."""
    match goal:
        case Compound(functor=",", arguments=(first, second)):
            rest = [
                each for each in (_without_printing(first, file), _without_printing(second, file)) if each
            ]
            return replace(goal, arguments=tuple(rest)) if len(rest) > 1 else next(iter(rest), None)
        case Atom(name=name) | Compound(functor=name) if name in _WRITING:
            file.needless.append((goal.span, _PRINTED))
            return None
        case _:
            return goal


def _take_labelled(label: Term, rule: Term, file: _File) -> None:
    count = len(file.rules)
    _take(rule, file)
    if len(file.rules) == count:
        raise Fault("EP126", "a label stands before an event rule", label.span, "write name: a <- b")
    match label:
        case Atom(name=name):
            window = None
        case Compound(functor=name, arguments=(ListTerm(items=items),)):
            window = None
            for each in items:
                if not isinstance(each, Compound) or each.functor != "property" or len(each.arguments) != 2:
                    raise Fault(
                        "EP126", "this is no property", each.span, "write property(event_rule_window, 60)"
                    )
                property_name, value = each.arguments
                window = value if _is_window(property_name, file) else window
        case _:
            raise Fault("EP126", "this is no label", label.span, "write name: a <- b")
    file.rules[-1] = replace(file.rules[-1], label=name, window=window, span=label.span.to(rule.span))


def _is_window(name: Term, file: _File) -> bool:
    """Whether a property is the length of a window; goals are forgotten without a step."""
    match name:
        case Atom(name="event_rule_window" | "window"):
            return True
        case Atom(name="window_step"):
            file.needless.append((name.span, "goals out of a window are forgotten by themselves"))
            return False
        case _:
            hint = "there is event_rule_window, in seconds"
            raise Fault("EP126", "this property of rules has no counterpart", name.span, hint)


def _take_directive(goal: Term, clause: Term, file: _File) -> None:
    match goal:
        case Compound(functor="prefix", arguments=(Atom(name=prefix), Atom(name=iri))):
            file.prefixes[prefix] = iri
            file.static.append(clause)
        case Compound(functor="set_etalis_flag", arguments=(Atom(name="event_consumption_policy"), value)):
            if not isinstance(value, Atom) or value.name not in _POLICIES:
                raise Fault("EP126", "no such policy", value.span, f"there are {', '.join(_POLICIES)}")
            file.policy = value.name, value.span
        case Compound(functor="set_etalis_flag", arguments=(Atom(name="events_of_two"), Atom(name="nodes"))):
            file.has_nodes = True
        case Compound(functor="set_etalis_flag", arguments=(flag, _)):
            hint = "there is event_consumption_policy; others are options of the engine (docs/from-etalis.md)"
            raise Fault("EP126", "this flag has no counterpart", flag.span, hint)
        case Compound(functor=functor) if functor in _UNSUPPORTED:
            raise Fault("EP126", f"{functor} has no counterpart", goal.span, _UNSUPPORTED[functor])
        case Atom(name=name) if name in _PRINTING:
            file.needless.append((goal.span, _PRINTED))
        case _:
            file.static.append(clause)


def _check_rules(file: _File, text: str) -> None:
    """There is one; and no name has events of no argument and of one, which would be one triple."""
    if not file.rules:
        hint = "write complex(X) <- a(X) seq b(X)."
        if any(isinstance(each, Compound) and each.functor == ":-" for each in file.static):
            hint = "a rule with :- is a static one; event rules, which old versions wrote so, have <-"
        raise Fault("EP101", "there is no event rule", Span(0, len(text)), hint)
    seen: dict[str, Span] = {}
    bare: dict[str, Span] = {}
    for rule in file.rules:
        for term in (rule.head, rule.body):
            for event in _events(term):
                if isinstance(event, Atom):
                    bare.setdefault(event.name, event.span)
                elif len(event.arguments) == 1:
                    seen.setdefault(event.functor, event.span)
    for name, span in bare.items():
        if name in seen:
            hint = "rename one of them"
            raise Fault("EP124", f"{name} stands for an event of no argument and for one of one", span, hint)


def _events(term: Term) -> Iterator[Atom | Compound]:
    match term:
        case Compound(
            functor="where" | "check" | "timestamp" | "event_multiply" | "within", arguments=(left, _)
        ):
            yield from _events(left)
        case Compound(functor="aggregate", arguments=(_, event, _)):
            yield from _events(event)
        case Compound(functor="exceptionAlarm", arguments=(event, _)):
            yield from _events(event)
        case Compound(functor=functor, arguments=arguments) if functor in WORDS or functor in (
            "star_times", "*", "/\\", "\\/", "#",
        ):  # fmt: skip
            for each in arguments:
                yield from _events(each)
        case Compound(functor="prolog"):
            pass
        case Atom() | Compound():
            yield term
        case _:
            pass


def _query(rule: EventRule, patterns: Patterns, file: _File, text: str, source: str | None) -> ReadQuery:
    remarks: list[Remark] = []
    if rule is file.rules[0]:
        first = {message: span for span, message in reversed(file.needless)}
        remarks += (Remark("EW45", message, span, "leave it out") for message, span in first.items())
    pragmas: tuple[syntax.Pragma, ...] = ()
    if file.policy is not None:
        pragmas = (syntax.Pragma("policy", file.policy[0], span=file.policy[1]),)
    elif rule.is_chosen:
        pragmas = (syntax.Pragma("policy", "recent", span=rule.span),)
    else:
        message = "no policy chooses here: all combinations match, where ETALIS takes the most recent"
        hint = "say so, and for all rules: :- set_etalis_flag(event_consumption_policy, unrestricted)."
        remarks.append(Remark("EW46", message, rule.span, hint))
    place = Span(rule.span.start, rule.span.start)
    prefixes = tuple(
        syntax.PrefixDeclaration(prefix, syntax.IriRef(iri, span=place), span=place)
        for prefix, iri in {"": NAMESPACE, **file.prefixes}.items()
    )
    prologue = syntax.Prologue((*prefixes, *pragmas), span=place)
    form = patterns.construct(rule)
    remarks += _literal_subjects(rule, file)
    query = syntax.Query(prologue, form, text=text, source=source, span=rule.span)
    return ReadQuery(checked(query, text, source), tuple(remarks), rule.label)


def _literal_subjects(rule: EventRule, file: _File) -> Iterator[Remark]:
    """Whether the first of two arguments of the event seems to be a number."""
    match rule.head:
        case Compound(functor=name, arguments=(Variable(name=first) as subject, _)) if not file.has_nodes:
            if first in rule.numbers:
                message = f"{first} is a number, which is no subject: {name}/2 is not made"
                hint = "turn the arguments round, or write :- set_etalis_flag(events_of_two, nodes)."
                yield Remark("EW47", message, subject.span, hint)
        case _:
            pass


# ---- static rules ------------------------------------------------------------------------------------


def _defined(clause: Term) -> Iterator[str]:
    """The predicate that a static clause belongs to."""
    match clause:
        case Compound(functor=":-", arguments=(head, _)):
            yield from _defined(head)
        case Compound(functor=":-" | "?-"):
            pass
        case Compound(functor=name) | Atom(name=name):
            yield name
        case _:
            pass


def _named(clause: Term, names: Names) -> Term:
    """A clause in which atoms are the IRIs that they are in events, where they are arguments."""
    match clause:
        case Compound(functor=":-", arguments=(head, body)):
            return replace(clause, arguments=(_with_named(head, names), _goal(body, names)))
        case Compound(functor=":-" | "?-", arguments=(_,)):
            return clause
        case _:
            return _with_named(clause, names)


def _goal(goal: Term, names: Names) -> Term:
    match goal:
        case Compound(functor="," | ";" | "->" | "*->" | "\\+" | "forall" | "once" | "ignore" | "call",
                      arguments=parts):  # fmt: skip
            return replace(goal, arguments=tuple(_goal(each, names) for each in parts))
        case Compound(functor="findall" | "aggregate_all", arguments=(what, inner, *rest)):
            return replace(goal, arguments=(_value(what, names), _goal(inner, names), *rest))
        case _:
            return _with_named(goal, names)


def _with_named(term: Term, names: Names) -> Term:
    if isinstance(term, Compound):
        return replace(term, arguments=tuple(_value(each, names) for each in term.arguments))
    return term


def _value(term: Term, names: Names) -> Term:
    match term:
        case Atom(name="[]" | "true" | "false"):
            return term
        case Atom(name=name):
            return replace(term, name=names.expanded(name))
        case Compound(functor=":", arguments=(Atom(), Atom())):
            return replace(term, functor=":")
        case Compound():
            return _with_named(term, names)
        case ListTerm(items=items, tail=tail):
            return replace(
                term,
                items=tuple(_value(each, names) for each in items),
                tail=None if tail is None else _value(tail, names),
            )
        case Variable() | Number():
            return term
        case _:
            return term
