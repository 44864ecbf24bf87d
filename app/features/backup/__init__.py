"""Saves the page store in one file, and restores it."""
