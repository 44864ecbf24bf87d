"""Evaluation of retrieval: question pools, metrics, reports."""
