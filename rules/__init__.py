"""The Prolog side: the engine and its run-time library, as package data."""
