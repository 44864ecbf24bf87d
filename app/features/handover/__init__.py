"""Messages that visitors hand over to a person if an answer does not help."""
