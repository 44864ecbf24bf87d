"""Memory: what earlier answers of a conversation cite is read again with the next question."""
