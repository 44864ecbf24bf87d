"""A generated site: many pages, each with a word of its own, and edits of them."""

from pathlib import Path
from random import Random
from typing import Final

LETTERS: Final = "bdfgklmnprstvz"
FILLER: Final = (
    "Die Gebühr für den Antrag wird jährlich überprüft.",
    "The office is open on weekdays from nine to noon.",
    "Öffentliche Plätze dürfen nicht beschädigt werden — auch nicht „ein bisschen“.",
    "Residents may apply online 🏠 or by letter.",
)


def word(number: int) -> str:
    """A word that stands on page ``number`` and nowhere else."""
    first, second = divmod(number, len(LETTERS))
    return f"q{LETTERS[first]}u{LETTERS[second]}ox"


def write_page(folder: Path, number: int, random: Random) -> None:
    """Write or rewrite a page: another text with the same word, of one to about fifteen windows."""
    sentences = random.choices(FILLER, k=random.randint(1, 100))
    sentences.insert(random.randrange(len(sentences) + 1), f"The word is {word(number)}.")
    text = " ".join(sentences)
    if number % 3:
        url = f"https://town.example/{number}"
        (folder / f"{number:03}.html").write_text(
            f'<html lang="de"><head><title>Page {number}</title><link rel="canonical" href="{url}"></head>'
            f"<body><h1>Page {number}</h1><p>{text}</p></body></html>",
            "utf-8",
        )
    else:
        (folder / f"{number:03}.md").write_text(
            f"---\nlanguage: en\nurl: https://town.example/{number}\n---\n# Page {number}\n\n{text}\n",
            "utf-8",
        )


def write_site(folder: Path, pages: int, random: Random) -> None:
    """Write pages 0 to ``pages`` - 1 into a new folder."""
    folder.mkdir()
    for number in range(pages):
        write_page(folder, number, random)
