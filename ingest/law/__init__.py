"""Acts of EU law: from a published text to its articles, recitals and annexes.

::

    HTML of EUR-Lex -> parse -> Act (units in Markdown) -> pages, one for each unit
"""
