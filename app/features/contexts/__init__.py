"""Contexts: a language model says in a sentence what each chunk of a page is about."""
