"""Reading CSV and NDJSON, also with a mapping, and writing NDJSON loads none of the heavy packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import io, sys
from etalis_py.engine.reorder import Reorder
from etalis_py.results import open_writer
from etalis_py.streams import open_stream
from etalis_py.streams.mapping.yarrrml import read_mapping
pairs = "[[urn:p, $(o)], [urn:q, 1]]"
said = read_mapping("m.yml", f"mappings: {{m: {{s: 'urn:$(s)', po: {pairs}, time: $(start)}}}}")
for name in sys.argv[1:]:
    assert [len(batch) for batch in open_stream(name)] == [1]
    assert [len(batch) for batch in open_stream(name, mapping=said)] == [2]
open_writer("ndjson", io.BytesIO()).close()
heavy = {"janus_swi", "numpy", "pandas", "pyarrow", "pyoxigraph", "pyspark", "rdflib", "rich"}
print(sorted(heavy & set(sys.modules)))
"""


def test_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n")
    (tmp_path / "a.ndjson").write_text('{"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}\n')
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    run = subprocess.run([sys.executable, "-c", SCRIPT, *files], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
