"""Memory: passages that earlier answers of a conversation cite are given to the model again."""
