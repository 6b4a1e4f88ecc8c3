"""The shipped vocabularies and rulebooks: data only."""
