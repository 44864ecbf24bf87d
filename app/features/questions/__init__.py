"""Questions: what visitors asked, what is missing, and whose answers changed."""
