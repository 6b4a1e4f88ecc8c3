"""Printing: from a rulebook to documents."""
