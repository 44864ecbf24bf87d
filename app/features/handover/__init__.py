"""Messages that visitors hand over to a person, where an answer does not help."""
