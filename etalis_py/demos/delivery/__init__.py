"""Goods delivery in a city whose roads close: rules in Prolog find new routes, over a stream of events.

The way of a run: ``roads`` (``city``, ``read_turtle``, ``read_csv``) gives the road network and ``tours`` the
agents' tours, ``simulate`` the traffic and the agents' messages, and ``stream`` writes them as RDF.
``engines`` runs the EP-SPARQL queries ``*.rq`` with the Prolog rules ``*.pl``, ``outcome`` reads what they
found; ``outputs``, ``map_plot`` and ``screen`` show it. ``measure`` and ``cost_plot`` tell what a
re-routing costs.
"""
