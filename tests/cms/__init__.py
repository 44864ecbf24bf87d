"""Real content management systems, started by the tests."""
