"""Explain: traces of questions and their answers, and the questions that a draft would answer."""
