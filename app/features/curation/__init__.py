"""Decisions of editors about answers: pins, fixed answers, synonyms, blocked subjects, example questions."""
