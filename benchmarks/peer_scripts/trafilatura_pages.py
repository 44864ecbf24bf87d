# mypy: ignore-errors
"""Main content by trafilatura. Runs in an environment of its own (``benchmarks/extraction.py``).

With tables, without comments; once with its defaults, once favouring recall.
"""

import json
import logging
import sys
import time
from importlib.metadata import version

import trafilatura

logging.disable(logging.CRITICAL)  # it logs each page without content
pages = json.load(sys.stdin)
found = {}
for name, options in (("", {}), (", favouring recall", {"favor_recall": True})):
    started = time.perf_counter()
    texts = [trafilatura.extract(page, include_comments=False, **options) or "" for page in pages]
    found[f"trafilatura {version('trafilatura')}{name}"] = [texts, time.perf_counter() - started]
json.dump(found, sys.stdout)
