"""Pure page processing: HTML in, embedded Markdown windows out. Knows no index, queue or HTTP server."""
