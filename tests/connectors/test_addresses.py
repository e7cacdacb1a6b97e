"""URLs of sources and sinks: what is refused, and how they are shown."""

from __future__ import annotations

import asyncio
import sys

import pytest

from etalis_py.connectors import SCHEMES, open_sink, open_source
from etalis_py.connectors.address import Address
from etalis_py.core.errors import EtalisError
from etalis_py.core.explanations import MESSAGES
from etalis_py.streams import StreamFile


def golden(code: str) -> str:
    return (MESSAGES / f"{code}.txt").read_text()


def refusal(url: str) -> str:
    with pytest.raises(EtalisError) as refused:
        open_source(url)
    return f"{refused.value}\n"


def test_a_kind_that_is_not_there() -> None:
    assert refusal("mqt://127.0.0.1/sensors") == golden("EP630")


def test_a_client_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "etalis_py.connectors.redis_streams", raising=False)
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    assert refusal("redis://127.0.0.1/events") == golden("EP632")


def test_what_is_refused_for_good() -> None:
    async def first() -> None:
        await anext(open_source("folder:/nowhere").messages({}))

    with pytest.raises(EtalisError) as refused:
        asyncio.run(first())
    assert f"{refused.value}\n" == golden("EP631")


@pytest.mark.parametrize(
    "url",
    ["kafka://h", "redis://h/", "follow:", "follow:x?from=middle", "kafka://h/t?frm=end", "mqtt://h:x/t"],
)
def test_urls_that_lack_something(url: str) -> None:
    for kind in ("aiokafka", "redis", "paho.mqtt"):
        pytest.importorskip(kind, reason=f"{kind} is not installed")
    assert refusal(url).startswith("EP630 ")


def test_a_sink_that_is_only_a_source() -> None:
    with pytest.raises(EtalisError, match="EP630"):
        open_sink("follow:x")


def test_passwords_are_not_shown() -> None:
    assert str(Address.parse("mqtt://anna:secret@h:1/t")) == "mqtt://anna:***@h:1/t"


def test_urls_are_words_of_streams() -> None:
    assert StreamFile.parse("mqtt://h/t?client=x", "--stream") == StreamFile("mqtt://h/t?client=x")
    assert StreamFile.parse("<urn:s>=mqtt://h/t", "--stream") == StreamFile("mqtt://h/t", "urn:s")
    assert StreamFile("kafka://h/t").is_live


def test_each_kind_tells_its_form() -> None:
    assert all(each.form.partition(":")[0] in SCHEMES for each in SCHEMES.values())
