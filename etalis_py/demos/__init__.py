"""Pipelines that show the engine on real work: ``etalis demo tsunami``."""
