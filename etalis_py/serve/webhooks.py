"""Sends answers to webhooks: in order, each again until it is taken.

What a receiver has acknowledged (any status from 200 to 299) is not sent again; where the server was killed
between the two, it is: the header ``Etalis-Answers: first-last`` lets a receiver pass over what it has.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import httpx

from etalis_py.serve.commands import Deliver, Hook
from etalis_py.serve.host import Host
from etalis_py.serve.media import NDJSON
from etalis_py.serve.readers import Readers
from etalis_py.serve.work_queue import Full

__all__ = ["Webhooks"]

_log = logging.getLogger(__name__)
_AT_ONCE: Final = 100
_FIRST_PAUSE: Final = 0.5
_LAST_PAUSE: Final = 60.0


class Webhooks:
    """Those of one engine, a task each."""

    def __init__(self, host: Host, readers: Readers) -> None:
        self._host = host
        self._readers = readers
        self._tasks: dict[str, tuple[Hook, asyncio.Task[None]]] = {}
        self._client = httpx.AsyncClient(timeout=30.0, follow_redirects=False, trust_env=False)
        self.refresh()

    def refresh(self) -> None:
        """Begin with those that are new, end those that are gone."""
        for name, (hook, task) in list(self._tasks.items()):
            now = self._host.hooks.get(name)
            if now is None or (now.url, now.queries) != (hook.url, hook.queries):
                task.cancel()
                del self._tasks[name]
        for name, hook in self._host.hooks.items():
            if name not in self._tasks:
                self._tasks[name] = hook, asyncio.create_task(self._send_all(hook))

    async def close(self) -> None:
        """End all."""
        tasks = [task for _, task in self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.aclose()

    async def _send_all(self, hook: Hook) -> None:
        after, queries = hook.after, frozenset(hook.queries)
        while True:
            found = self._host.answers.read(after, queries, _AT_ONCE)
            if found.lost:
                _log.warning(
                    "webhook %s: %s answers are gone before they were taken", hook.name, f"{found.lost:,}"
                )
            if found.answers:
                lines = b"".join(each.line + b"\n" for each in found.answers)
                numbers = f"{found.answers[0].number}-{found.answers[-1].number}"
                await self._deliver(hook, lines, numbers)
            if found.upto > after:
                after = found.upto
                with suppress(Full):  # the next one says it, too
                    await asyncio.wrap_future(self._host.do(Deliver(hook.name, after)))
            else:
                await self._readers.wait(after)

    async def _deliver(self, hook: Hook, lines: bytes, numbers: str) -> None:
        pause = _FIRST_PAUSE
        headers = {"Content-Type": NDJSON, "Etalis-Answers": numbers, "Etalis-Hook": hook.name}
        while (reason := await self._refusal(hook.url, lines, headers)) is not None:
            _log.warning("webhook %s: answers %s wait: %s", hook.name, numbers, reason)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LAST_PAUSE)

    async def _refusal(self, url: str, lines: bytes, headers: dict[str, str]) -> str | None:
        """Why the receiver has not taken it; None where it has."""
        try:
            response = await self._client.post(url, content=lines, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            return f"{type(error).__name__}: {error}"
        return None if response.is_success else f"status {response.status_code}"


def all_closed(several: Iterable[Webhooks]) -> Any:
    """Ends the hooks of several engines."""
    return asyncio.gather(*(each.close() for each in several))
