"""The chat for programs that know OpenAI's API."""
