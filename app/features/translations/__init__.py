"""Translations: pages in two languages teach which words mean the same, and searches use both."""
