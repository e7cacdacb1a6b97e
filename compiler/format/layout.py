"""The layout of each rule of grammar.lark.

A clause has a line, and so has each element of a group with several; combinators stand alone. A group stays
on one line if it fits there and its writer had not ended the line behind its brace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypeAlias

from lark import Token, Tree

from etalis_py.compiler.format.documents import (
    Comments,
    Document,
    Group,
    Indent,
    Line,
    Row,
    Space,
)
from etalis_py.compiler.format.words import Text
from etalis_py.compiler.parse.lengths import is_short

__all__ = ["Layout"]

Node: TypeAlias = "Tree[Token] | Token"

_DATASETS: Final = ("dataset_clause", "stream_window", "event_declaration")
_CLAUSES: Final = frozenset(
    {
        *(*_DATASETS, "where_clause", "aggregate_clause", "group_clause", "having_clause"),
        *("window_clause", "skip_clause", "order_clause", "limit_clause", "offset_clause"),
        "values_clause",
    }
)
"""Rules that begin a line."""
_WITH_GROUPS: Final = (
    *("group", "repeat", "negated", "timer", "optional", "graph", "stream", "window_pattern", "event"),
    *("service", "minus", "match"),
)
"""Elements that share their lines with no other, as all steps of chains do."""
_WIDEST_PREFIX: Final = 16
"""IRIs of prefixes are aligned up to names of so many characters."""
_SPACE: Final = Space()
_LINE: Final = Line()
_SOFT: Final = Line(0)
_END: Final = Line(None)


class Layout:
    """Makes documents of trees; ``read`` has their words, ``text`` is what the user wrote."""

    def __init__(self, read: Text, text: str) -> None:
        self._read = read
        self._text = text
        self._rules: MappingProxyType[str, Callable[[Tree[Token]], Document]] = MappingProxyType(
            {
                "query": self._query,
                "prologue": self._prologue,
                **dict.fromkeys(("select_query", "sub_select", "ask_query"), self._clauses),
                **dict.fromkeys(("construct_query", "construct_short", "describe_query"), self._clauses),
                **dict.fromkeys(("select_clause", "group_clause", "having_clause"), self._filled),
                **dict.fromkeys(("order_clause", "dataset_clause"), self._filled),
                "where_clause": self._where,
                **dict.fromkeys(("group", "template"), self._group),
                **dict.fromkeys(("match", "filtered_event", "values_clause", "inline_data"), self._braced),
                "repeat": self._repeat,
                "event_chain": self._filled,
                "subject_triples": self._triples,
                "property_objects": self._objects,
                "blank_node_properties": self._blank_node,
                **dict.fromkeys(("collection", "bracketted", "expression_as", "data_row"), self._flowing),
                **dict.fromkeys(("expression", "conjunction"), self._operators),
                "unary": self._unary,
                **dict.fromkeys(("length", "signed_length"), self._length),
                **dict.fromkeys(("built_in", "function_call", "aggregate", "goal"), self._call),
                "order_by_direction": self._tight,
                "ago": self._ago,
                **dict.fromkeys(("past", "rdf_literal"), self._tight),
                **dict.fromkeys(
                    (
                        *("path_alternative", "path_sequence", "path_inverse", "path_repeated"),
                        *("path_bracketted", "path_negated", "path_one_inverse"),
                    ),
                    self._tight,
                ),
            }
        )

    def of(self, node: Node) -> Document:
        """The layout of a node."""
        if isinstance(node, Token):
            return self._read.word(node)
        return self._rules.get(node.data, self._flowing)(node)

    # ---- queries ------------------------------------------------------------------------------------

    def _query(self, tree: Tree[Token]) -> Document:
        """An empty line stands behind declarations."""
        lines: list[Document] = []
        was_prologue = False
        for each in tree.children:
            if tokens := _tokens(each):
                if was_prologue:
                    self._set_apart(tokens[0])
                lines.append(self.of(each))
                was_prologue = _is(each, "prologue")
        return _lines(lines)

    def _set_apart(self, token: Token) -> None:
        word = self._read.word(token)
        if word.before:
            first, *others = word.before
            word = replace(word, before=(replace(first, apart=True), *others))
        else:
            word = replace(word, apart=True)
        self._read.set_word(token, word)

    def _prologue(self, tree: Tree[Token]) -> Document:
        names = [_tokens(each)[1] for each in tree.children if _is(each, "prefix")]
        width = max((len(name) for name in names if len(name) <= _WIDEST_PREFIX), default=0)
        lines: list[Document] = []
        for each in tree.children:
            words = [self._read.word(token) for token in _tokens(each)]
            blanks = [_SPACE] * len(words)
            if _is(each, "prefix"):
                blanks[1] = Space(1 + max(0, width - len(words[1].text)))
            lines.append(Row(tuple(part for pair in zip(words, blanks, strict=True) for part in pair)[:-1]))
        return _lines(lines)

    def _clauses(self, tree: Tree[Token]) -> Document:
        lines: list[list[Document]] = []
        has_dataset = False
        for each in tree.children:
            has_dataset = has_dataset or _is(each, *_DATASETS)
            begins = each == "WHERE" or _is(each, *_CLAUSES)
            if (
                isinstance(each, Tree)
                and each.data == "where_clause"
                and not has_dataset
                and len(_patterns(each)) == 1
            ):
                begins = _is_word(each.children[0], "WHERE") and tree.data != "ask_query"
            if lines and not begins:
                lines[-1] += [_SPACE, self.of(each)]
            else:
                lines.append([self.of(each)])
        return _lines(Row(tuple(line)) for line in lines)

    def _where(self, tree: Tree[Token]) -> Document:
        """A group stands in the line of its WHERE; several parts stand below it."""
        patterns = _patterns(tree)
        if len(patterns) == 1:
            return self._flowing(tree)
        below = _lines(self._elements(patterns))
        words = tree.children[: -len(patterns)]
        return Row((*map(self.of, words), Indent(Row((_END, below))))) if words else below

    # ---- groups -------------------------------------------------------------------------------------

    def _group(self, tree: Tree[Token]) -> Document:
        opening, *inner, closing = tree.children
        is_long = any(_is(each, "sub_select") for each in inner) or (
            sum(each != "." for each in inner) > 1 and any(_is(each, *_WITH_GROUPS) for each in inner)
        )
        return self._in_brackets(opening, self._elements(inner), closing, tree, broken=is_long)

    def _repeat(self, tree: Tree[Token]) -> Document:
        """Measures stand in a line of their own if there is too little room."""
        if not _is(tree.children[-1], "measures"):
            return self._flowing(tree)
        *before, measures = tree.children
        return Row((self._flow(before), Group(Row((_LINE, self.of(measures))))))

    def _elements(self, children: Sequence[Node]) -> list[Document]:
        """Each element, with the full stop behind it, and each combinator with its selection."""
        elements: list[list[Document]] = []
        for each in children:
            stays = each == "." or _is(each, "selection")
            if stays and elements:
                elements[-1] += [_SPACE, self.of(each)]
            else:
                elements.append([self.of(each)])
        return [Row(tuple(each)) for each in elements]

    def _in_brackets(
        self,
        opening: Node,
        inner: Sequence[Document],
        closing: Node,
        tree: Tree[Token],
        *,
        broken: bool = False,
    ) -> Document:
        """Brackets around lines; comments before the closing one belong to these."""
        assert isinstance(opening, Token)
        assert isinstance(closing, Token)
        last = self._read.word(closing)
        lines = list(inner)
        if last.before:
            lines.append(Comments(last.before))
        if not lines:
            return Row((self.of(opening), last))
        content = Row((_LINE, *_between(lines, _LINE)))
        document = Row((self.of(opening), Indent(content), _LINE, replace(last, before=())))
        return Group(document, broken or self._ends_line(opening) or self._has_comments(tree))

    def _braced(self, tree: Tree[Token]) -> Document:
        """Words, and something in braces."""
        place = next(index for index, each in enumerate(tree.children) if each == "{")
        before = Tree(tree.data, tree.children[:place])
        opening, *inner, closing = tree.children[place:]
        if any(_is(each, "data_row") for each in inner):
            lines = [self.of(each) for each in inner]
        else:
            lines = [_fill(map(self.of, inner))] if inner else []
        braces = self._in_brackets(opening, lines, closing, tree)
        return Row((self._flowing(before), _SPACE, braces))

    # ---- triples ------------------------------------------------------------------------------------

    def _triples(self, tree: Tree[Token]) -> Document:
        subject, *properties = tree.children
        if not properties:
            return self.of(subject)
        return Group(
            Row((self.of(subject), _SPACE, Indent(self._properties(properties), 2))),
            self._ends_line(*(each for each in properties if each == ";")),
        )

    def _properties(self, properties: Sequence[Node]) -> Document:
        parts: list[Document] = []
        for each in properties:
            if each == ";":
                parts.append(_SPACE)
            elif parts:
                parts.append(_LINE)
            parts.append(self.of(each))
        return Row(tuple(parts))

    def _objects(self, tree: Tree[Token]) -> Document:
        verb, first, *others = tree.children
        more = [self.of(each) if each == "," else Group(Row((_LINE, self.of(each)))) for each in others]
        return Row((self.of(verb), _SPACE, Indent(Row((self.of(first), *more)), 2)))

    def _blank_node(self, tree: Tree[Token]) -> Document:
        opening, *properties, closing = tree.children
        semicolons = [each for each in properties if each == ";"]
        broken = self._ends_line(*semicolons)
        return self._in_brackets(opening, [self._properties(properties)], closing, tree, broken=broken)

    # ---- expressions --------------------------------------------------------------------------------

    def _operators(self, tree: Tree[Token]) -> Document:
        """Operands with an operator at the end of each line but the last."""
        parts: list[Document] = []
        for each in tree.children:
            if isinstance(each, Token):
                parts += [_SPACE, self.of(each), _LINE]
            else:
                parts.append(self.of(each))
        return Group(Row(tuple(parts)))

    def _unary(self, tree: Tree[Token]) -> Document:
        """A sign before a number would belong to it if nothing stood between them."""
        sign, operand = tree.children
        blanks = () if sign == "!" or not _is(operand, "number", "signed_number") else (_SPACE,)
        return Row((self.of(sign), *blanks, self.of(operand)))

    def _length(self, tree: Tree[Token]) -> Document:
        """Numbers and their units, which are no words of the language even if they look like some."""
        parts: list[Document] = []
        for each in tree.children:
            assert isinstance(each, Token)
            stands_apart = each.isdigit() or not is_short(each)  # 1h 30m, 10 HOURS
            parts += [_SPACE] if parts and stands_apart else []
            parts.append(replace(self._read.word(each), text=str(each)))
        return Row(tuple(parts))

    def _ago(self, tree: Tree[Token]) -> Document:
        """``NOW-PT1H``, ``NOW - 1h``: a dash before a number would be its sign."""
        now, *dash, length = tree.children
        between = (
            (_SPACE, *map(self.of, dash), _SPACE) if dash and _is(length, "length") else map(self.of, dash)
        )
        return Row((self.of(now), *between, self.of(length)))

    def _call(self, tree: Tree[Token]) -> Document:
        name, *rest = tree.children
        return Row((self.of(name), self._flow(rest)))

    # ---- what several rules share -------------------------------------------------------------------

    def _flowing(self, tree: Tree[Token]) -> Document:
        return self._flow(tree.children)

    def _flow(self, children: Sequence[Node]) -> Document:
        """Words with blanks between them; what stands in parentheses may have lines of its own."""
        parts: list[Document] = []
        inner: list[Document] | None = None
        last: Node | None = None
        separates = any(_is_word(each, "SEPARATOR") for each in children)
        for each in children:
            into = parts if inner is None else inner
            if last is not None and each not in (")", "]", ",") and last not in ("[", "("):
                is_tight = each == ";" or (separates and "=" in (each, last))
                into += [] if is_tight else [_LINE if last == "," else _SPACE]
            if each == ")" and inner is not None:
                parts.append(Group(Row((Indent(Row((_SOFT, *inner))), _SOFT, self.of(each)))))
                inner = None
            else:
                into.append(self.of(each))
            if each == "(" and inner is None:
                inner = []
            last = each
        return Row(tuple(parts + (inner or [])))

    def _filled(self, tree: Tree[Token]) -> Document:
        """Words in as many lines as they need."""
        parts: list[Document] = []
        for each in tree.children:
            if each == "," and parts:
                parts[-1] = Row((parts[-1], self.of(each)))
            elif _is(each, "selection") and parts:
                parts[-1] = Row((parts[-1], _SPACE, self.of(each)))
            else:
                parts.append(self.of(each))
        return _fill(parts, 2)

    def _tight(self, tree: Tree[Token]) -> Document:
        return Row(tuple(map(self.of, tree.children)))

    def _ends_line(self, *tokens: Node) -> bool:
        """Whether the user ended the line behind one of the tokens."""
        for each in tokens:
            assert isinstance(each, Token)
            line, _, _ = self._text[each.end_pos :].partition("\n")
            if not line.partition("#")[0].strip():
                return True
        return False

    def _has_comments(self, tree: Tree[Token]) -> bool:
        """Whether comments stand among the words of a tree."""
        words = [self._read.word(each) for each in _tokens(tree)]
        return any(each.before for each in words[1:]) or any(each.behind for each in words[:-1])


def _tokens(node: Node) -> list[Token]:
    if isinstance(node, Token):
        return [node]
    return list(node.scan_values(lambda value: isinstance(value, Token)))


def _is(node: Node, *rules: str) -> bool:
    return isinstance(node, Tree) and node.data in rules


def _patterns(where: Tree[Token]) -> list[Node]:
    """The parts of a WHERE clause behind its word."""
    return where.children[1:] if _is_word(where.children[0], "WHERE") else where.children


def _is_word(node: Node | None, word: str) -> bool:
    return isinstance(node, Token) and node.upper() == word


def _fill(parts: Iterable[Document], levels: int = 0) -> Document:
    """Parts in as many lines as they need; those from the second on are indented."""
    first, *rest = parts
    return Row((first, Indent(Row(tuple(Group(Row((_LINE, each))) for each in rest)), levels)))


def _lines(lines: Iterable[Document]) -> Document:
    return Row(tuple(_between(list(lines), _END)))


def _between(parts: Sequence[Document], separator: Document) -> Iterable[Document]:
    for index, each in enumerate(parts):
        if index:
            yield separator
        yield each
