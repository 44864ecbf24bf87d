"""The search page, and the search as an element of other websites."""
