"""Tells Auskunft what editors do with the pages of django CMS."""
