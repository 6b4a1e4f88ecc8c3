"""Texts of the diagnostics by code, one TOML file a language."""
