"""How good are the answers: question pools, retrieval metrics, reports."""
