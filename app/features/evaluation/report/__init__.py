"""The report: one self-contained page about a run, or about runs that are compared."""
