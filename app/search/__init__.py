"""Finding pages: the index behind one protocol, and the path from a question to passages."""
