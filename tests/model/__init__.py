"""With a small real language model."""
