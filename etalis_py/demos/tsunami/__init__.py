"""Detect tsunamis in recordings of deep-ocean pressure sensors (NOAA's DART buoys).

The way of a reading: ``dart`` reads the file, ``clean`` drops what is missing or there twice, ``means``
adds four running means (``spark_means`` does the same with Spark windows), ``stream`` writes it as RDF
triples, the EP-SPARQL queries ``*.rq`` judge it (``engines`` runs them, ``detection`` reads what they
found), ``outputs``, ``plot`` and ``screen`` show what was found. Without a recording, ``simulate`` makes
one.
"""
