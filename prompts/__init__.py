"""Jinja2 prompt templates: data files, loaded with ``importlib.resources``."""
