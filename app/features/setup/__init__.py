"""Sets up an installation with one command that reads a website and writes the settings."""
