"""Tells Auskunft what editors do with pages, and shows its chat."""
