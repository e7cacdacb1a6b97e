"""What is closed leaves nothing behind."""

from __future__ import annotations

import gc
from pathlib import Path

from etalis_py.embedding import prolog
from etalis_py.ontologies.background import Background
from tests.memory import allocated_bytes, used_bytes
from tests.sanitizers import not_sanitized

ONTOLOGY = "@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n" + "".join(
    f':c{n} rdfs:subClassOf :c{n // 3} . :i{n} a :c{n} ; :p{n % 7} "text {n}" .\n' for n in range(1, 300)
)
RULES = ":- table reach/2.\nreach(X, Y) :- rdf(X, _, Y).\nreach(X, Y) :- reach(X, Z), rdf(Z, _, Y).\n"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def test_many_loads_and_closes(tmp_path: Path) -> None:
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

    for number in range(100):
        load_and_close(number)
    before = used_bytes()
    for number in range(100, 400):
        load_and_close(number)
    assert used_bytes() - before < 300 * 1000  # the name of a module is 200 bytes, all that is loaded 500,000


@not_sanitized
def test_closing_gives_back_at_once_what_was_loaded(tmp_path: Path) -> None:
    path = tmp_path / "many.nt"
    path.write_text("".join(f'<urn:s{n % 99}> <urn:p> "text number {n}" .\n' for n in range(30_000)))
    Background.load(prolog, [path], "rdfs", "test_closing", cache_dir=tmp_path).close()
    gc.collect()
    before = allocated_bytes()
    background = Background.load(prolog, [path], "rdfs", "test_closing", cache_dir=tmp_path)
    loaded = allocated_bytes() - before
    background.close()
    assert loaded > 30_000 * 100
    assert allocated_bytes() - before < loaded / 10
