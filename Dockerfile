# EXTRAS: those of pyproject.toml; "local" is the bundled embedder. TORCH_INDEX: the package index of another build of
# torch than PyPI's, which brings NVIDIA's libraries. PIP_EXTRA_INDEX_URL: another package index, if any.
FROM python:3.13.16-slim-trixie AS base

FROM base AS build
ARG EXTRAS=local
ARG TORCH_INDEX
ARG PIP_EXTRA_INDEX_URL
WORKDIR /build
# Without pip of its own: what the image needs to run is all that is in it.
RUN python -m venv --without-pip /opt/auskunft
COPY constraints.txt pyproject.toml LICENSE README.md ./
RUN --mount=type=cache,target=/root/.cache/pip \
    [ -z "$TORCH_INDEX" ] || pip --python /opt/auskunft install --disable-pip-version-check --no-deps \
        --constraint constraints.txt --index-url "$TORCH_INDEX" torch
COPY app app
COPY ingest ingest
COPY mappings mappings
COPY prompts prompts
COPY workers workers
RUN --mount=type=cache,target=/root/.cache/pip \
    pip --python /opt/auskunft install --disable-pip-version-check --constraint constraints.txt ".${EXTRAS:+[$EXTRAS]}"

FROM base
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data auskunft \
    && install --directory --owner auskunft --group auskunft /data
COPY --from=build /opt/auskunft /opt/auskunft
ENV PATH=/opt/auskunft/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    AUSKUNFT_DATA=/data \
    AUSKUNFT_HOST=0.0.0.0
USER 10001:10001
# An auskunft.toml mounted here is read.
WORKDIR /etc/auskunft
VOLUME /data
EXPOSE 8000
# http.client, because it never asks a proxy.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["python", "-c", "import os; from http.client import HTTPConnection as C; c = C('127.0.0.1', int(os.environ.get('AUSKUNFT_PORT') or 8000), timeout=4); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
ENTRYPOINT ["auskunft"]
CMD ["serve"]
