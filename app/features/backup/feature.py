"""The backup feature: saves and restores the page store."""

from typing import Final

from app.feature import Command, Feature

feature: Final = Feature(
    package=__package__,
    commands={
        "backup": Command(f"{__package__}.command", "Save the page store in one file.", "Operations"),
        "restore": Command(f"{__package__}.command", "Restore the page store from a backup.", "Operations"),
    },
)
