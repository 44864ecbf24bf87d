"""What all tests may ask for."""

import signal

pytest_plugins = ["tests.services.fixtures"]

# A shell ignores Ctrl-C for what it starts in the background, which every process of a test would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
