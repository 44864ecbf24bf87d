"""Questions about law: versions of acts, their names, and the references between their units."""
