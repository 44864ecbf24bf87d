"""The page store in one file, and back."""
