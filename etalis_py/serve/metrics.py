"""Numbers of a server for Prometheus, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

if TYPE_CHECKING:
    from etalis_py.serve.server import Server

__all__ = ["Metrics"]


class Metrics:
    """Those of requests are counted here, those of engines are with their hosts."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "etalis_requests",
            "Requests by operation and status.",
            ("operation", "status"),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "etalis_request_seconds", "Time of a request until its response begins.", ("operation",),
            registry=self._registry,
        )  # fmt: skip

    def text(self, server: Server) -> bytes:
        """All of them in Prometheus's text format."""
        registry = CollectorRegistry()
        registry.register(_Engines(server))
        return generate_latest(self._registry) + generate_latest(registry)


class _Engines:
    def __init__(self, server: Server) -> None:
        self._server = server

    def collect(self) -> Iterator[Metric]:
        hosts = self._server.hosts.values()
        events = CounterMetricFamily("etalis_events", "Events that were taken.", labels=["engine"])
        late = CounterMetricFamily("etalis_late_events", "Events that came too late.", labels=["engine"])
        refused = CounterMetricFamily(
            "etalis_refused", "Requests refused since too much waits.", labels=["engine"]
        )
        recoveries = CounterMetricFamily(
            "etalis_recoveries", "Times that an engine failed and was made anew.", labels=["engine"]
        )
        answers = CounterMetricFamily("etalis_answers", "Answers.", labels=["engine", "query"])
        waiting = GaugeMetricFamily("etalis_waiting_bytes", "Bytes of events that wait.", labels=["engine"])
        clock = GaugeMetricFamily("etalis_clock_seconds", "The open instant, since 1970.", labels=["engine"])
        up = GaugeMetricFamily("etalis_engine_up", "1 while the engine works.", labels=["engine"])
        readers = GaugeMetricFamily(
            "etalis_readers", "Clients that read answers as they come.", labels=["engine"]
        )
        for host in hosts:
            events.add_metric([host.name], host.counts.events)
            late.add_metric([host.name], host.late)
            refused.add_metric([host.name], host.counts.refused)
            recoveries.add_metric([host.name], host.counts.recoveries)
            for query, count in list(host.counts.answers.items()):
                answers.add_metric([host.name, query], count)
            waiting.add_metric([host.name], host.waiting)
            up.add_metric([host.name], 0 if host.failure else 1)
            readers.add_metric([host.name], self._server.readers[host.name].count)
            if host.clock is not None:
                clock.add_metric([host.name], host.clock / 1e6)
        refused_records = CounterMetricFamily("etalis_bad_records", "Records of sources that are no events.")
        refused_records.add_metric([], self._server.refused.count)
        yield from (refused_records, events, late, refused, recoveries, answers, waiting, clock, up, readers)
