"""The one HTTP client for pages, guarded against addresses that only this machine may reach."""
