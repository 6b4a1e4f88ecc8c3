"""Adapters: recorded games of other programs, turned into logs of the JSON contract."""
