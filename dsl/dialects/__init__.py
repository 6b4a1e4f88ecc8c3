"""Keyword tables, one TOML file a dialect; see `tefter.dsl.dialect`."""
