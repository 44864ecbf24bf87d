"""Questions: what visitors asked, in groups of the same meaning, and whose answers changed."""
