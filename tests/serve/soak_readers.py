"""Clients of the soak, in a process of their own: each reads all answers until one is called ``end``.

Run: python -m tests.serve.soak_readers ADDRESS CLIENTS AFTER
AFTER is the number of the answer before the first.
Says ``reading`` when all are there; at the end what they got, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from urllib.parse import urlsplit

_NAME = re.compile(rb'"urn:n:(\w+):?(\d*)"')


async def _read(address: str, after: int, latencies: list[float], opened: asyncio.Semaphore) -> int:
    """The number of answers; raises ValueError where one is not the next."""
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    ask = b"GET /answers?after=%d HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
    writer.write(ask % after)
    count = 0
    async for line in reader:
        if line.startswith(b"retry:"):
            opened.release()
        if not line.startswith(b"data: "):
            continue
        found = _NAME.search(line)
        assert found is not None
        if found[1] == b"end":
            writer.close()
            return count
        if int(found[1]) != count:
            raise ValueError(f"the answer {found[1].decode()} comes in the place of {count}")
        latencies.append(time.monotonic() - int(found[2]) / 1e6)
        count += 1
    raise ValueError(f"the server ends after {count} answers")


async def _main(address: str, clients: int, after: int) -> None:
    latencies: list[float] = []
    opened = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(_read(address, after, latencies, opened)) for _ in range(clients)]
    for _ in tasks:
        await opened.acquire()
    print("reading", flush=True)
    counts = await asyncio.gather(*tasks, return_exceptions=True)
    faults = [str(each) for each in counts if isinstance(each, BaseException)]
    if not faults and len(set(counts)) > 1:
        faults = [f"clients got {min(map(int, counts))} to {max(map(int, counts))} answers"]  # type: ignore[arg-type]
    latencies = sorted(latencies) or [0.0]
    told = {
        "answers": counts[0] if isinstance(counts[0], int) else 0,
        "p50_ms": 1000 * latencies[len(latencies) // 2],
        "p99_ms": 1000 * latencies[len(latencies) * 99 // 100],
    }
    print(json.dumps({**told, **({"fault": faults[0]} if faults else {})}), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
