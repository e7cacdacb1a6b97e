"""Every error code with the one line that says what it means.

A code is never given a second meaning; ``docs/errors.md`` and the golden files under
``tests/errors/`` follow this table.
"""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["ERROR_CODES"]

ERROR_CODES = MappingProxyType(
    {
        # EP1xx: the text is not EP-SPARQL
        "EP101": "something else was expected at this place",
        "EP102": "the query ends too early",
        "EP103": "a character that no query can have",
        "EP104": "a string that is not closed",
        "EP105": "an escape sequence that does not exist",
        "EP106": "a prefix that is not declared",
        "EP107": "nested too deeply",
        "EP108": "a window that cannot be",
        "EP109": "a number that is too large",
        "EP110": "BIND to a variable that has a value already",
        "EP111": "AS with a variable that has a value already",
        "EP112": "one blank node label in two graph patterns",
        "EP113": "VALUES whose rows and variables do not fit",
        "EP114": "a variable that is neither grouped nor aggregated",
        "EP115": "an aggregate where none can stand",
        "EP116": "SELECT * with GROUP BY",
        "EP117": "a property path in a template",
        # EP2xx: compile
        "EP201": "EP-SPARQL that this version cannot run",
        "EP202": "a function that does not exist",
        "EP203": "a function with the wrong arguments",
        "EP204": "a PRAGMA or a policy that does not exist",
        "EP205": "a recursion that is not stratified",
        "EP206": "two queries with one name",
        "EP207": "a Prolog predicate that no rules file defines",
        "EP208": "a variable of the group outside, within a part of EXISTS that cannot have it",
        "EP209": "SERVICE",
        "EP210": "a window that is none, or that nothing is aggregated over",
        "EP211": "DESCRIBE * without a variable",
        "EP212": "what has no meaning under a selection policy",
        # EP30x: run time
        "EP301": "Prolog reports an error",
        "EP302": "CONSTRUCT queries that do not come to an end",
        "EP303": "an engine that is closed or has failed",
        "EP304": "answers that cannot be written",
        "EP305": "Spark cannot start, or cannot go on",
        "EP309": "a fault in etalis_py itself",
        # EP40x: streams
        "EP401": "a stream that cannot be read",
        "EP402": "a stream file with nothing in it",
        "EP403": "a stream that is not UTF-8",
        "EP404": "a stream without a column or key that is needed",
        "EP405": "a stream that is not CSV as RFC 4180 has it",
        "EP406": "a line that is not one JSON object",
        "EP407": "a term that is not in N-Triples syntax",
        "EP408": "a term of a kind that cannot stand at its place",
        "EP409": "a time that cannot be read",
        "EP410": "an event that ends before its start",
        "EP411": "a stream that ends in the middle of a line",
        "EP412": "a stream that is not in its RDF format",
        "EP413": "an element that comes too late",
        "EP414": "a named graph with times that contradict",
        "EP415": "a Parquet file or an Arrow table that is not as needed",
        "EP416": "a named graph without a time, or not in one piece",
        "EP417": "an element at another time than the one instant of a run",
        # EP42x: background
        "EP421": "a background file that cannot be read",
        "EP422": "a background file that is not in its RDF format",
        "EP423": "a background file whose suffix tells no format",
        "EP424": "a background file with nothing in it",
        "EP425": "a background file that is not UTF-8",
        "EP426": "background that is not a file on this machine",
        "EP427": "a term in a background file that the engine has no form for",
        "EP428": "a cache that Prolog cannot read back",
        "EP429": "a file with named graphs where one graph is wanted",
        # EP44x: Prolog files
        "EP441": "a Prolog file that cannot be read",
        "EP442": "a Prolog file with a syntax error",
        "EP443": "a Prolog file that is a module",
        "EP444": "a directive in a Prolog file that fails or raises an error",
        "EP445": "a Prolog file that redefines a predicate of the system",
        "EP446": "an rdf fact that is no RDF triple",
        "EP447": "a directive in a Prolog file that does not come to an end",
        "EP448": "a directive in a Prolog file that is not supported",
        # EP45x: recordings of the demos
        "EP451": "the recording of a demo cannot be read",
        "EP452": "the recording of a demo holds no readings",
        "EP453": "the recording of a demo has another header",
        "EP454": "a row of a recording is no reading",
        "EP455": "a recording stops in the middle of its last row",
        "EP456": "a value in a recording is out of range",
        "EP457": "the file of station places cannot be read",
        # EP5xx: arguments and set-up
        "EP501": "words on the command line that cannot be understood",
        "EP502": "a query file that cannot be read",
        "EP503": "two query files with one name",
        "EP504": "a batch that is no table",
        "EP505": "an option's value that cannot be read",
        "EP506": "a choice that this version does not have",
        "EP507": "results that cannot be written where they should go",
        "EP521": "a stream whose format is not known",
        "EP522": "a stream that tells no times, without a time for all its triples",
        "EP523": "a time for all triples of a stream that tells its own",
        "EP524": "a stream format that cannot come from standard input",
        "EP525": "a result format that holds one query, and more than one query",
        "EP526": "a result format that cannot hold what a query gives",
        "EP527": "a result format that is not known",
        "EP528": "a time that a result format cannot hold",
        "EP531": "no SWI-Prolog that the engine can use",
        "EP532": "distribution packages are missing and cannot be installed",
        "EP533": "the Python packages cannot be installed",
        "EP534": "SWI-Prolog cannot be loaded",
        "EP535": "no Java for Spark",
        "EP536": "no PySpark",
        "EP541": "a length without a unit, or no length",
        "EP542": "the results of a demo cannot be written",
        "EP543": "a package that the demo needs is missing",
    }
)
