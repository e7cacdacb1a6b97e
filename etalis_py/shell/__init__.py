"""``etalis shell``: a read-eval-print loop over one engine, in a terminal and with piped input.

A statement's way: ``piped`` or ``terminal`` reads it (``statements`` says where it ends), ``loop`` tells what
it is, ``commands`` has what begins with ``:``, ``session`` does it on its engine and keeps what is needed to
do it again, ``answers`` prints.
"""

from __future__ import annotations
