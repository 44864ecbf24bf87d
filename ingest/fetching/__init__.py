"""The only HTTP client for pages, guarded against addresses that only this machine can reach."""
