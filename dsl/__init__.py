"""The language: from the text of `.rules` files to a checked, resolved rulebook."""
