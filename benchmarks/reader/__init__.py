"""Training of the reader of blocks (:mod:`app.search.block_reader`)."""
