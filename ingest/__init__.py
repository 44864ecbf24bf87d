"""Page processing: HTML in, embedded chunks of Markdown out, without index, queue or HTTP server."""
