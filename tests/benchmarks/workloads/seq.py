"""SEQ of two and of three steps with join keys: many live goals, with and without a window, each policy.

``alternating`` has 1,000 keys, each first step followed at once by the second. ``1000-live`` and so on come
in bursts: so many first steps, then as many second steps, over as many keys. Two steps that use goals up
also come with 100 goals to a key (``crowded``). Beside 100,000 live goals the engine with 100 is measured.

Without a window and a policy goals stay for ever: there, all goals are sent before the clock runs, and what
is measured are last steps alone.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, NamedTuple

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX, by_hand, pure_loop
from tests.benchmarks.streams import STEP, bursts, duration, one_step
from tests.benchmarks.workload import ENGINE, Contender, Trial, Workload

__all__ = ["WORKLOADS"]

Policy = Literal["unrestricted", "chronological", "recent"]
POLICIES: tuple[Policy, ...] = ("unrestricted", "chronological", "recent")
KEYS = 1_000
FOREVER = 1 << 60
"""A window in microseconds that no stream outlasts."""
FEW = 100
_PATTERNS = {
    2: "{ ?x :p ?a } SEQ { ?x :q ?b }",
    3: "{ ?x :p ?a } SEQ { ?x :q ?y } SEQ { ?y :r ?c }",
}


class Kind(NamedTuple):
    """One member of the family. ``live`` 0 means alternating; ``keys`` 0 as many as live."""

    steps: int
    policy: Policy
    windowed: bool
    live: int = 0
    keys: int = 0

    @property
    def name(self) -> str:
        window = "window" if self.windowed else "lasting"
        shape = f"{self.live}-live" if self.live else "alternating"
        crowd = "-crowded" if self.keys else ""
        return f"seq{self.steps}-{self.policy}-{window}-{shape}{crowd}"

    @property
    def kernel(self) -> str:
        if self.policy == "unrestricted":
            return f"seq{self.steps}"
        return f"seq2_{self.policy}" if self.steps == 2 else "seq3_consuming"


def query_of(kind: Kind, window: int) -> str:
    """The query text; the window is in microseconds."""
    limit = f" FILTER(getDURATION() < {duration(window)})" if kind.windowed else ""
    return f"PREFIX : <{PREFIX}> SELECT * {{ {_PATTERNS[kind.steps]}{limit} }}"


def trial(kind: Kind, events: int) -> Trial:
    """The engine, the kernel, the kernel's loop, and with many live goals the engine with few.

    There are at least as many events as one burst has.
    """
    live = max(1, kind.live if events >= 1_000 else min(kind.live, events // kind.steps))
    events = max(events, kind.steps * live)
    if kind.policy == "unrestricted" and not kind.windowed:
        contenders = _last_steps(kind, live, events)
    else:
        contenders = _whole(kind, live, events)
    details: dict[str, object] = {"policy": kind.policy, "live_goals": live if kind.live else KEYS}
    if kind.live >= 100_000 and not kind.keys:
        fewer = trial(kind._replace(live=FEW, keys=live), events)
        few: Contender = fewer.contenders[ENGINE]
        name = f"engine, {FEW} live goals"
        contenders[name] = Contender(few.ready, fewer.events, same_answers=False)
    return Trial(events, contenders, details)


def _whole(kind: Kind, live: int, events: int) -> dict[str, Contender]:
    """All steps are measured. The window lets each last step meet the goals of its own burst only."""
    keys = kind.keys or (live if kind.live else KEYS)
    table = bursts(events, kind.steps, live, keys)
    window = kind.steps * max(live, 1 if kind.live else KEYS) * STEP
    query, bound = query_of(kind, window), window if kind.windowed else FOREVER
    steps = "pqr"[: kind.steps]
    return {
        ENGINE: engine(table, query, policy=kind.policy),
        "kernel": by_hand(kind.kernel, table, steps, bound),
        "loop": pure_loop(kind.kernel, table, steps, bound),
    }


def _last_steps(kind: Kind, live: int, events: int) -> dict[str, Contender]:
    """The goals are there; last steps come, each with one partner. ``kind.keys`` is how many values they
    have: where few goals are compared with many, as many different terms come all the same.
    """
    goals = live if kind.live else min(KEYS, events)
    before = bursts((kind.steps - 1) * goals, kind.steps, goals, goals)
    last, letter = ("q", "k") if kind.steps == 2 else ("r", "m")
    values = kind.keys or 1_000
    table = one_step(events, last, goals, first=before.num_rows, letter=letter, values=values)
    steps = "pqr"[: kind.steps]
    return {
        ENGINE: engine(table, query_of(kind, FOREVER), before=before),
        "kernel": by_hand(kind.kernel, table, steps, FOREVER, before=before),
        "loop": pure_loop(kind.kernel, table, steps, FOREVER, before=before),
    }


def _kinds() -> list[Kind]:
    found = []
    for steps, lives in ((2, (0, 1_000, 10_000, 100_000)), (3, (0, 100_000))):
        for policy in POLICIES:
            for windowed in (True, False):
                shapes = lives if windowed or policy != "unrestricted" else lives[1:]
                found += [Kind(steps, policy, windowed, live) for live in shapes]
    crowded = [Kind(2, policy, True, 100_000, KEYS) for policy in POLICIES[1:]]
    return found + crowded


def _workload(kind: Kind) -> Workload:
    window = "in a window" if kind.windowed else "without a window"
    goals = f"{kind.live:,} live goals" if kind.live else f"alternating, {KEYS:,} keys"
    crowd = f" on {kind.keys:,} keys" if kind.keys else ""
    purpose = f"SEQ of {kind.steps} steps {window}, {kind.policy}, {goals}{crowd}"
    events = 300_000 if kind.steps == 3 and kind.live else 200_000
    return Workload(kind.name, purpose, partial(trial, kind), events=events)


WORKLOADS = [_workload(kind) for kind in _kinds()]
