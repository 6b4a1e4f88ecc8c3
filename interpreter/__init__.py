"""Judging: a resolved rulebook, a state and an episode give a verdict that holds the next state."""
