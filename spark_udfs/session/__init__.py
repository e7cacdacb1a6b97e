"""Spark sessions for this machine: how one is started, which Python its workers run, what its Java logs."""
