"""Training of the reader, a cross-encoder (:mod:`app.search.block_reader`), and of the map of questions."""
