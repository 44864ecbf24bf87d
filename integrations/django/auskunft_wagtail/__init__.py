"""Tells Auskunft what editors do with the pages of Wagtail."""
