"""Detect tsunamis in recordings of deep-ocean pressure sensors (NOAA's DART buoys).

The way of a reading: ``dart`` reads the file, ``clean`` drops what is missing or there twice
(``spark_readings`` does the same on Spark), ``stream`` writes it as RDF triples, the EP-SPARQL queries
``*.rq`` predict and judge it (``engines`` runs them, ``detection`` reads what they found), ``outputs``,
``plot`` and ``screen`` show what was found. Without a recording, ``simulate`` makes one.
"""
