"""A site as tools of other programs' language models."""
