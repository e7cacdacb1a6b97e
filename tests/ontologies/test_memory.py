"""What is closed leaves nothing behind."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path

import pytest

from etalis_py import prolog
from etalis_py.ontologies.background import Background

ONTOLOGY = "@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n" + "".join(
    f':c{n} rdfs:subClassOf :c{n // 3} . :i{n} a :c{n} ; :p{n % 7} "text {n}" .\n' for n in range(1, 300)
)
RULES = ":- table reach/2.\nreach(X, Y) :- rdf(X, _, Y).\nreach(X, Y) :- reach(X, Z), rdf(Z, _, Y).\n"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def resident_kilobytes() -> int:
    gc.collect()
    for predicate in ("garbage_collect_atoms", "garbage_collect_clauses", "trim_heap"):
        prolog.do("system", predicate)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0])


@pytest.mark.slow
def test_a_thousand_loads_and_closes(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(ONTOLOGY)
    (tmp_path / "a.pl").write_text(RULES)

    def load_and_close(number: int) -> None:
        module = f"test_memory_{number}"
        background = Background.load(
            prolog, [tmp_path / "a.ttl"], "rdfs", module, rules=[tmp_path / "a.pl"], cache_dir=tmp_path
        )
        assert prolog.call("test_inspect", "answers", module, None, RDF_TYPE, "urn:c1")
        assert prolog.call("test_inspect", "consequences", module, "urn:x", RDF_TYPE, "urn:c299")
        assert prolog.holds("test_inspect", "succeeds", module, "reach('urn:c299', 'urn:c0')")
        background.close()

    for number in range(200):
        load_and_close(number)
    before = resident_kilobytes()
    for number in range(200, 1000):
        load_and_close(number)
    assert resident_kilobytes() - before < 4_000


class _MallocInfo(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t) for name in ("arena", *"abc", "mapped", *"de", "used", "free", "keep")
    )


def used_bytes() -> int:
    """What is allocated and not freed, in C and Prolog (glibc's mallinfo2)."""
    function = ctypes.CDLL(None).mallinfo2
    function.restype = _MallocInfo
    info = function()
    return int(info.used + info.mapped)


def test_closing_gives_back_at_once_what_was_loaded(tmp_path: Path) -> None:
    path = tmp_path / "many.nt"
    path.write_text("".join(f'<urn:s{n % 99}> <urn:p> "text number {n}" .\n' for n in range(30_000)))
    Background.load(prolog, [path], "rdfs", "test_closing", cache_dir=tmp_path).close()
    gc.collect()
    before = used_bytes()
    background = Background.load(prolog, [path], "rdfs", "test_closing", cache_dir=tmp_path)
    loaded = used_bytes() - before
    background.close()
    assert loaded > 30_000 * 100
    assert used_bytes() - before < loaded / 10
