"""A rehearsal of ``docker compose up``: the shipped files, unchanged, on a real Docker.

Where Docker runs already, Compose pulls the images that the files name. Elsewhere an engine is started for
the tests, and stand-ins for those images are built from Debian's packages (``standins``).
"""
