"""A server that stays: engines fed, asked and watched over HTTP (docs/serve.md).

A request becomes a command (`commands`). The host of an engine (`host`) carries commands out in the order in
which they came, in a thread of its own, writes them to a journal (`journal`) and gives answers their numbers
(`answer_log`). The application (`application`) is a table of operations (`operations`), from which routes,
rights and the OpenAPI document are made. What it asks for is not loaded before ``etalis serve`` is run.
"""
