"""Learns from pages in two languages which words mean the same; searches use both."""
