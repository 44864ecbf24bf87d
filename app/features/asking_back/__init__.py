"""Asks back which page is meant, where several compete for a question."""
