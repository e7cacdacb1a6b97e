"""Changes at random to texts and bytes that were right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

__all__ = ["changed_bytes", "changed_text"]

TOKEN = re.compile(
    r"""\s+|\#[^\n]*|<[^<>"{}|^`\\\s]*>|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[?$]\w+|@[\w-]+|[\w:.-]+|."""
)
AWKWARD_BYTES = (
    *(
        b"",
        b"\n",
        b"\r",
        b'"',
        b"'",
        b"<",
        b">",
        b"{",
        b"}",
        b"[",
        b"]",
        b"(",
        b")",
        b",",
        b";",
        b"\\",
        b"\0",
    ),
    *(
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\xf0\x9f\x90\x9f",
        b"_:",
        b"^^",
        b"@",
        b"#",
        b"\\u",
    ),
    *(b"-1", b"0", b"1e400", b"99999999999999999999", b"NaN", b"1970-13-01T00:00:00Z", b"null", b"true"),
)


def changed_text(random: Random, text: str, others: Sequence[str]) -> str:
    """The text with some tokens replaced, mostly by others of their kind, taken out, doubled or moved."""
    tokens = TOKEN.findall(text)
    spare = [token for token in TOKEN.findall(random.choice(others)) if not token.isspace()] or [" "]
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        if not tokens:
            return text
        at = random.randrange(len(tokens))
        alike = [token for token in (*spare, *tokens) if _kind(token) == _kind(tokens[at])]
        match random.randrange(24):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[at])
            case 2:
                tokens.insert(at, tokens.pop(random.randrange(len(tokens))))
            case 3:
                tokens[at] = random.choice(spare)
            case 4:
                first = random.randrange(len(spare))
                tokens[at:at] = spare[first : first + random.randint(1, 12)]
            case 5:
                end = min(len(tokens), at + random.randint(1, 12))
                tokens[at:at] = tokens[at:end]
            case _:
                tokens[at] = random.choice(alike)
    return "".join(tokens)


def _kind(token: str) -> str:
    """What sort of token it is, by its first character: most others of the sort can stand in its place."""
    first = token[0]
    if first.isspace():
        return " "
    if first.isalpha():
        return ":" if ":" in token or token == "a" else "word"
    return {"$": "?", "<": ":", "'": '"'}.get(first, "0" if first.isdigit() else first)


def changed_bytes(random: Random, content: bytes) -> bytes:
    """The bytes with one to four pieces taken out, doubled, replaced, or cut off behind."""
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(content) + 1)
        end = min(len(content), at + random.choice((0, 1, 1, 2, 8, 100)))
        match random.randrange(5):
            case 0:
                content = content[:at] + content[end:]
            case 1:
                content = content[:end] + content[at:]
            case 2:
                content = content[:at] + bytes([random.randrange(256)]) + content[end:]
            case 3:
                content = content[:at] + random.choice(AWKWARD_BYTES) + content[end:]
            case _:
                content = content[: max(at, 1)] if random.randrange(4) == 0 else content
    return content
