"""Evaluation: how good search and answers are, on pools of questions and on what visitors ask."""
