"""The setup feature: a command that starts an installation from a website."""

from typing import Final

from app.feature import Command, Feature

feature: Final = Feature(
    package=__package__,
    commands={
        "init": Command(
            f"{__package__}.command", "Set up a website: read its pages, write the settings.", "Start"
        )
    },
)
