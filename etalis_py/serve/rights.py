"""Who may do what: tokens, each with roles.

``watch`` reads answers and what queries are; ``feed`` sends events; ``ask`` puts questions; ``register`` adds
and removes queries, which may run code that was loaded with the server, and decides where answers are sent.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

import yaml

from etalis_py.core.errors import Place, UsageError

__all__ = ["EVERYBODY", "ROLES", "Holder", "Role", "Tokens"]

Role: TypeAlias = Literal["watch", "feed", "ask", "register"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has a token: a name for the log and the limits, and roles."""

    name: str
    roles: frozenset[Role]


EVERYBODY: Final = Holder("local", frozenset(ROLES))
"""Where no tokens are wanted: on this machine only."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The holders by the digest of their token."""

    holders: Mapping[bytes, Holder] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> Tokens:
        """A file in YAML: by the name of a holder ``token`` and ``roles``.

        Raises:
            UsageError: EP622, it cannot be read, or is none.
        """
        try:
            found = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise _wrong(path, f"it cannot be read: {error}") from error
        if not isinstance(found, dict) or not found:
            raise _wrong(path, "it has no holders")
        return cls(dict(_holder(path, str(name), each) for name, each in found.items()))

    def holder(self, token: str) -> Holder | None:
        """Who has this token; every one is compared, in the same time."""
        given = _digest(token)
        found = None
        for digest, holder in self.holders.items():
            if hmac.compare_digest(digest, given):
                found = holder
        return found


def _holder(path: str, name: str, entry: Any) -> tuple[bytes, Holder]:
    if not isinstance(entry, dict) or entry.keys() - {"token", "roles"} or not entry.get("token"):
        raise _wrong(path, f"{name}: a holder has a token and roles")
    roles = entry.get("roles") or ()
    roles = [roles] if isinstance(roles, str) else roles
    if not isinstance(roles, Iterable) or not set(roles) <= set(ROLES) or not roles:
        raise _wrong(path, f"{name}: the roles are {', '.join(ROLES)}")
    if len(str(entry["token"])) < 16:
        raise _wrong(path, f"{name}: a token has 16 characters or more")
    return _digest(str(entry["token"])), Holder(name, frozenset(roles))


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _wrong(path: str, reason: str) -> UsageError:
    hint = "anna: {token: ..., roles: [watch, feed]}; make tokens with: openssl rand -hex 24"
    return UsageError("EP622", f"the tokens cannot be used: {reason}", place=Place(path), hint=hint)
