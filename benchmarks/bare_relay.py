"""The minimal chat server, which only passes on the model's stream. A reference for benchmarks."""

import sys
from collections.abc import Iterator

import httpx
from flask import Flask, Response, request
from waitress import create_server

SECONDS = 120.0


def make_app(base_url: str) -> Flask:
    """Return an application whose ``POST /`` passes the request's body to the model at ``base_url``."""
    app, client = Flask(__name__), httpx.Client(limits=httpx.Limits(max_keepalive_connections=0))

    @app.post("/")
    def relay() -> Response:
        body = request.get_data()

        def passed_on() -> Iterator[bytes]:
            headers = {"Content-Type": "application/json"}
            target = f"{base_url}/chat/completions"
            with client.stream("POST", target, content=body, headers=headers, timeout=SECONDS) as reply:
                yield from reply.iter_raw()

        return Response(passed_on(), mimetype="text/event-stream")

    return app


def main() -> None:
    """Serve on a free port: ``python -m benchmarks.bare_relay MODEL THREADS``."""
    base_url, threads = sys.argv[1:]
    server = create_server(make_app(base_url), host="127.0.0.1", port=0, threads=int(threads))
    print(f"http://127.0.0.1:{server.effective_port}/", flush=True)  # noqa: T201
    server.run()


if __name__ == "__main__":
    main()
