"""HTML of pages: parsed without a depth limit, reduced to what is visible, written as Markdown.

A library for the plugins that meet HTML; parsing takes linear time and no recursion.
"""
