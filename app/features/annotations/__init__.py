"""Annotations: how people cut pages and units of law into chunks, and the references that they give them."""
