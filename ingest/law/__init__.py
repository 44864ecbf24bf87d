"""Parses published acts of EU law into articles, recitals and annexes.

::

    HTML of EUR-Lex -> parse -> Act (units in Markdown) -> pages, one for each unit
"""
