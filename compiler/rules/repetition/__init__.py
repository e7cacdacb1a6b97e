"""The rules of REPEAT."""
