"""The events in the body of a request."""

from __future__ import annotations

from functools import lru_cache

from etalis_py.core.errors import DataError
from etalis_py.serve.commands import Feed
from etalis_py.streams import Batch, open_bytes
from etalis_py.streams.mapping.yarrrml import StreamMap, read_mapping
from etalis_py.streams.term_texts import TermTexts

__all__ = ["batches_of", "mapping_of"]


@lru_cache(maxsize=64)
def mapping_of(text: str) -> StreamMap:
    """What a mapping in YARRRML says.

    Raises:
        DataError: EP432 to EP434.
    """
    return read_mapping("the mapping", text)


def batches_of(feed: Feed, texts: TermTexts) -> list[Batch]:
    """All events, before one of them is sent: a body is taken as a whole, or not at all.

    ``texts`` are those of bodies that came before.

    Raises:
        DataError: EP403 to EP419, EP434 to EP436, with the place in the body.
    """
    if not feed.body:
        return []
    mapping = None if feed.mapping is None else mapping_of(feed.mapping)
    try:
        return list(
            open_bytes(
                feed.body,
                feed.format,
                name="the body",
                time_unit=feed.time_unit,
                stream=feed.stream,
                mapping=mapping,
                texts=texts,
            )
        )
    except RecursionError:
        raise DataError("EP412", "the body is nested too deeply") from None
