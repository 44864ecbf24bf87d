"""The chat for programs that use OpenAI's API."""
