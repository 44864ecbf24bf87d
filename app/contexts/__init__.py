"""A language model writes what each chunk is about, for finding it: beside the indexing, in its own time."""
