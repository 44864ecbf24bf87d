"""Features: each folder is one, and nothing else names it."""
