"""What is said of roads, tours and numbers that cannot be used: one golden text a code."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.core.errors import EtalisError
from etalis_py.core.explanations import MESSAGES
from etalis_py.demos.delivery import command
from etalis_py.demos.delivery.read_tours import read_tours
from etalis_py.demos.delivery.roads import load_roads

ARCS = "from,to,length\n1,2,100\n2,1,100\n"
TURTLE = "@prefix : <urn:etalis:delivery:> .\n:j1 a :Junction . :j2 a :Junction .\n"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def roads(text: str | bytes | None, name: str = "arcs.csv") -> Callable[[], object]:
    def load() -> object:
        if text is not None:
            Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
        return load_roads(Path(name), 1)

    return load


LINE = {"type": "LineString", "coordinates": [[8.0, 49.0], [8.01, 49.0]]}


def lines(geometry: object, **properties: object) -> Callable[[], object]:
    feature = {"type": "Feature", "geometry": geometry, "properties": properties}
    return roads(json.dumps({"features": [feature]}), "roads.geojson")


def tours(text: str | None) -> Callable[[], object]:
    def load() -> object:
        Path("arcs.csv").write_text(ARCS)
        if text is not None:
            Path("tours.csv").write_text(text)
        return read_tours(Path("tours.csv"), load_roads(Path("arcs.csv"), 1))

    return load


def demo(*words: str) -> Callable[[], object]:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return lambda: command.run(parser.parse_args(words))


LOOSE = ":s2 a :OneWaySegment ; :from :j2 ; :to :j3 ; :length 5 ."
SEGMENT = ":s1 a :OneWaySegment ; :from :j1 ; :to :j2 ; :length "


@pytest.mark.parametrize(
    ("code", "trigger"),
    [
        ("EP461", roads(None)),
        ("EP462", roads("from,to\n1,2\n")),
        ("EP463", roads("from,to,length\n1,2,-5\n")),
        ("EP464", roads(f"{TURTLE}{SEGMENT}70 .\n{LOOSE}", "roads.ttl")),
        ("EP465", roads(ARCS + "2,3,100\n")),
        ("EP466", tours("agent,stop\nann,1\n")),
        ("EP467", tours("agent,junction\nann,1\nann,2\nbob,\n")),
        ("EP468", tours("agent,junction\nann,1\nann,7\n")),
        ("EP544", demo("--stops", "0")),
    ],
)
def test_message(code: str, trigger: Callable[[], object]) -> None:
    with pytest.raises(EtalisError) as caught:
        trigger()
    path = MESSAGES / f"{code}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(f"{caught.value}\n", encoding="utf-8")
    assert f"{caught.value}\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("code", "trigger"),
    [
        ("EP461", roads("x", "roads.osm")),
        ("EP461", roads(b"from,to,length\n\xff")),
        ("EP461", roads(":s1 a", "roads.ttl")),
        ("EP462", roads("")),
        ("EP462", roads("from,to,length\n")),
        ("EP462", roads(TURTLE, "roads.ttl")),
        ("EP462", roads(f"{TURTLE}:s1 a :OneWaySegment ; :from :j1 ; :length 4 .", "roads.ttl")),
        ("EP463", roads("from,to,length\n1,2,long\n")),
        ("EP463", roads("from,to,length\n1,2\n")),
        ("EP463", roads("from,to,length\n1,2,inf\n")),
        ("EP463", roads('from,to,length\n"1 2",3,5\n')),
        ("EP463", roads("from,to,length,speed\n1,2,5,0\n")),
        ("EP463", roads(f'{TURTLE}{SEGMENT}"short" .', "roads.ttl")),
        ("EP461", roads("{", "roads.geojson")),
        ("EP461", roads('{"type": "Feature"}', "roads.json")),
        ("EP462", roads('{"features": []}', "roads.geojson")),
        ("EP463", lines({"type": "LineString", "coordinates": [[8, 49]]})),
        ("EP463", lines({"type": "LineString", "coordinates": [[8, 49], [8, 49]]})),
        ("EP463", lines({"type": "LineString", "coordinates": [[8, 49], [8, 91]]})),
        ("EP463", lines({"type": "LineString", "coordinates": [[8, 49], [8, True]]})),
        ("EP463", lines({"type": "LineString", "coordinates": 8})),
        ("EP463", lines({"type": "MultiLineString", "coordinates": 8})),
        ("EP463", lines("LineString")),
        ("EP463", lines(LINE, oneway="perhaps")),
        ("EP463", lines(LINE, maxspeed="none")),
        ("EP463", lines(LINE, length=0)),
        ("EP463", lines(LINE, **{"from": "a b"})),
        ("EP463", lines(LINE, district="a b")),
        ("EP463", lines({"type": "Point", "coordinates": [8, 49]}, kind="junction")),
        ("EP463", roads(json.dumps({"features": [{"geometry": LINE}], "boroughs": 1}), "roads.geojson")),
        ("EP463", roads(json.dumps({"features": [{"geometry": LINE}], "districts": {"a": "b c"}}), "r.json")),
        ("EP463", roads("from,to,length,oneway\n1,2,5,perhaps\n")),
        ("EP544", demo("--two-way")),
        ("EP466", tours(None)),
        ("EP466", tours("agent,junction\n")),
        ("EP466", tours("agent,junction\n,1\n")),
        ("EP467", tours("agent,junction\nann,1\nann,1\n")),
        ("EP544", demo("--agents", "0")),
        ("EP544", demo("--closed", "150%")),
        ("EP544", demo("--closed", "many")),
    ],
)
def test_code_and_place(code: str, trigger: Callable[[], object]) -> None:
    with pytest.raises(EtalisError) as caught:
        trigger()
    assert caught.value.code == code
    assert caught.value.place is None or caught.value.place.source
