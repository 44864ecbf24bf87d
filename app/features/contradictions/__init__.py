"""Finds passages of one site that give different figures, dates, amounts or opening hours for the same
thing."""
