"""Editors' decisions about answers: pins, fixed answers, synonyms, blocked subjects, example questions."""
