"""What questions on law need beside search: versions of acts, their names, and what units refer to."""
