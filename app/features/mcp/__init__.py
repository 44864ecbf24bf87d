"""Offers a site as tools for language models of other programs."""
