"""Make a day of deliveries: traffic that closes, slows and opens roads, and agents that drive through it.

The drivers find their ways as the engine is to find them, over the roads open at that moment (``ways``), so
that the stream is there before any engine has seen it: it can be saved, run on Spark, or be answered by
other queries. Roads change at half seconds, agents report at whole ones. The same seed gives the same day.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from etalis_py.demos.delivery.network import Network, travel_time
from etalis_py.demos.delivery.tours import MINUTE, Leg, Tour
from etalis_py.demos.delivery.ways import find_way

__all__ = ["BEGIN", "Closure", "Message", "Simulation", "Trip", "simulate"]

BEGIN = int(datetime(2030, 3, 4, 6, tzinfo=timezone.utc).timestamp()) * 1_000_000
SECOND = 1_000_000
WAIT = 5 * MINUTE
"""How long an agent that is cut off waits before it asks again."""
SLOW_SHARE, SLOW_SPEED = 0.3, 10
"""Share of the legs with a slow segment ahead, and how slow it is (km/h)."""
SPREADING = 0.2
"""Share of the closures that are followed by one of a neighbouring segment within ten minutes."""

Message: TypeAlias = "tuple[int, str, str, str | int | float]"
"""Time in microseconds, subject, property and object by local name, or a number."""


@dataclass(slots=True)
class Trip:
    """A leg as it was driven: the segments taken, when each began and ended, and all asking.

    ``asked``: time, junction, and the new way (None: there was none), or the empty way where the one it had
    was open.
    """

    leg: Leg
    left: int
    reached: int = 0
    taken: list[str] = field(default_factory=list)
    driven: list[tuple[int, int]] = field(default_factory=list)
    asked: list[tuple[int, str, tuple[str, ...] | None]] = field(default_factory=list)

    @property
    def met_closed(self) -> bool:
        """Whether the way had to be found again."""
        return any(way is None or way for _, _, way in self.asked)


@dataclass(frozen=True, slots=True)
class Closure:
    """A segment that was closed, from when to when (microseconds)."""

    segment: str
    begin: int
    end: int


@dataclass(slots=True)
class Simulation:
    """A day: the messages in order of time, the trips, the closures."""

    messages: list[Message] = field(default_factory=list)
    trips: list[Trip] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)


def simulate(network: Network, tours: Sequence[Tour], closed: float, seed: int) -> Simulation:
    """The day of these tours; ``closed``: the share of the legs on whose way a segment is closed; 0: none."""
    return _Day(network, closed, seed).run(tours)


class _Day:
    """What happens next, and what holds now."""

    def __init__(self, network: Network, closed: float, seed: int) -> None:
        self.network = network
        self.share = closed
        self.dice = random.Random(f"day {seed}")  # noqa: S311 - traffic, not a secret
        self.closed: dict[str, int] = {}
        self.slow: dict[str, float] = {}
        self.result = Simulation()
        self.next: list[tuple[int, int, Iterator[int]]] = []
        self.order = count()
        self.segments_at: dict[str, list[str]] = {}
        for segment in network.segments.values():
            for end in (segment.start, segment.end):
                self.segments_at.setdefault(end, []).append(segment.name)

    def run(self, tours: Sequence[Tour]) -> Simulation:
        for number, tour in enumerate(tours):
            self.at(BEGIN + number * 20 * SECOND, self.drive(tour, number))
        while self.next:
            now, _, process = heappop(self.next)
            later = next(process, None)
            if later is not None:
                self.at(max(later, now), process)
        return self.result

    def at(self, time: int, process: Iterator[int]) -> None:
        heappush(self.next, (time, next(self.order), process))

    def say(self, time: int, subject: str, what: str, value: str | int) -> None:
        self.result.messages.append((time, subject, what, value))

    # ---- roads: each process is a generator that yields the time at which it goes on ---------------------

    def close(self, segment: str, begin: int, lasts: int) -> None:
        """A segment closes (at the next half second); after ``lasts`` microseconds it opens."""
        begin = begin // SECOND * SECOND + SECOND // 2
        self.at(begin, self.closing(segment, begin, lasts // SECOND * SECOND))

    def closing(self, segment: str, begin: int, lasts: int) -> Iterator[int]:
        if segment in self.closed:
            return
        end = begin + lasts
        self.closed[segment] = end
        self.say(begin, segment, "status", "Closed")
        self.result.closures.append(Closure(segment, begin, end))
        if self.dice.random() < SPREADING:
            near = self.dice.choice(self.segments_at[self.network.segments[segment].end])
            self.close(near, begin + self.minutes(2, 8), self.minutes(6, 15))
        yield end
        del self.closed[segment]
        self.say(end, segment, "status", "Open")

    def slowing(self, segment: str, begin: int, lasts: int) -> Iterator[int]:
        if segment in self.slow:
            return
        self.slow[segment] = SLOW_SPEED
        self.say(begin, segment, "speed", SLOW_SPEED)
        yield begin + lasts
        del self.slow[segment]
        self.say(begin + lasts, segment, "flow", "Free")

    def minutes(self, least: float, most: float) -> int:
        return int(self.dice.uniform(least, most) * MINUTE)

    # ---- agents ----------------------------------------------------------------------------------------

    def drive(self, tour: Tour, number: int) -> Iterator[int]:
        now = BEGIN + number * 20 * SECOND
        besieged = len(tour.legs) // 2 if number % 10 == 0 and self.share > 0 else -1
        for index, leg in enumerate(tour.legs):
            stay = self.minutes(2, 6) // SECOND * SECOND
            ahead = self.trouble(leg, now, stay, siege=index == besieged)
            now += stay
            yield now
            trip = Trip(leg, now)
            self.result.trips.append(trip)
            self.say(now, leg.agent, "leavesFor", leg.name)
            here, way = leg.start, list(leg.planned)
            asks = True
            while here != leg.goal:
                if asks:
                    way = yield from self.ask(trip, here, way, now)
                    now = trip.asked[-1][0]
                    if ahead and len(way) > 1:
                        self.close_ahead(way, now)
                        ahead = False
                segment = self.network.segments[way.pop(0)]
                time = travel_time(segment, self.slow.get(segment.name))
                began, now = now, now + -(-time // SECOND) * SECOND
                trip.taken.append(segment.name)
                trip.driven.append((began, now))
                here = segment.end if here == segment.start else segment.start
                yield now
                asks = bool(way) and way[0] in self.closed
            trip.reached = now
            self.say(now, leg.agent, "reaches", leg.name)

    def ask(self, trip: Trip, here: str, way: list[str], now: int) -> Generator[int, None, list[str]]:
        """Ask for the way on until there is one; it is what the generator returns."""
        while True:
            self.say(now, trip.leg.agent, "at", here)
            self.say(now, trip.leg.agent, "asksFor", trip.leg.name)
            if not any(segment in self.closed for segment in way):
                trip.asked.append((now, here, ()))
                return way
            found = find_way(self.network, here, trip.leg.goal, self.closed, self.slow)
            if found is not None:
                trip.asked.append((now, here, tuple(found[1])))
                return found[1]
            trip.asked.append((now, here, None))
            now += WAIT
            yield now

    def trouble(self, leg: Leg, now: int, stay: int, *, siege: bool) -> bool:
        """Close and slow roads on the way of the next leg; whether one is to close while it is driven."""
        if siege:
            for segment in self.segments_at[leg.goal]:
                self.close(segment, now + stay // 2, self.minutes(8, 12))
            return False
        if self.dice.random() < SLOW_SHARE:
            begin = now + stay // 3 // SECOND * SECOND + SECOND // 2
            lasts = self.minutes(8, 20) // SECOND * SECOND
            self.at(begin, self.slowing(self.dice.choice(leg.planned), begin, lasts))
        if self.dice.random() >= self.share:
            return False
        if len(leg.planned) > 2 and self.dice.random() < 0.4:
            return True
        begin = now + int(stay * self.dice.uniform(0.1, 0.8))
        self.close(self.dice.choice(leg.planned), begin, stay + self.minutes(4, 20))
        return False

    def close_ahead(self, way: Sequence[str], now: int) -> None:
        """Close a segment that the agent has not reached yet."""
        place = self.dice.randrange(1, len(way))
        driven = sum(travel_time(self.network.segments[name]) for name in way[:place])
        self.close(way[place], now + int(driven * self.dice.uniform(0.1, 0.9)), self.minutes(6, 20) + driven)
