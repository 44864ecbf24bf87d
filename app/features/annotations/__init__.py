"""Annotations: how people cut pages and units of law into chunks, and what these refer to."""
