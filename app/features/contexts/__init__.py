"""Contexts: a language model describes in a sentence what each chunk of a page is about."""
