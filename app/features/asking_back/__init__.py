"""Asks which page is meant if several compete for a question."""
