"""Passages of one site that say different figures, dates, amounts or opening hours of the same thing."""
