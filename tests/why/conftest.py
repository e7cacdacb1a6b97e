"""What the tests of proofs share with the oracle's."""

from tests.oracle.conftest import backgrounds

__all__ = ["backgrounds"]
