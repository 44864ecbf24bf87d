"""The beginning: a website is read, and its settings are written, by one command."""
