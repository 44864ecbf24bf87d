"""Explain: what a question would be answered from, and which questions a draft would answer."""
