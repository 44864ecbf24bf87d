"""What every converter does, whatever it converts."""

import pytest

from ingest import registry
from ingest.documents import FILE_TYPES
from ingest.protocols import Converter
from ingest.types import MEDIA_TYPES, PAGED_MARKDOWN, MediaType, RawField

TEXTS = [
    "",
    " ",
    "plain words",
    "<p>some <b>words</b></p>",
    "# words\n\n* words",
    "\x00\x07",
    "\ud800",
    "\U000e0041",
    "<",
    "```",
    "a\r\nb",
]


@pytest.fixture(params=registry.names("converters"))
def converter(request: pytest.FixtureRequest) -> Converter:
    built: Converter = registry.create("converters", request.param)
    return built


def texts_accepted(converter: Converter) -> list[MediaType]:
    """The media types of texts, not of files, that the converter takes."""
    return [media_type for media_type in accepted(converter) if media_type not in FILE_TYPES]


def accepted(converter: Converter) -> list[MediaType]:
    """The media types that the converter takes."""
    return [m for m in MEDIA_TYPES if converter.accepts(RawField(text="", media_type=m))]


def test_it_names_its_version_and_accepts_something(converter: Converter) -> None:
    assert converter.version
    assert accepted(converter)


def test_accepting_depends_on_the_media_type_alone(converter: Converter) -> None:
    for media_type in MEDIA_TYPES:
        answers = {converter.accepts(RawField(text=text, media_type=media_type)) for text in TEXTS}
        assert len(answers) == 1


def test_each_media_type_has_exactly_one_converter() -> None:
    built = [registry.create("converters", name) for name in registry.names("converters")]
    for media_type in MEDIA_TYPES:
        assert sum(c.accepts(RawField(text="", media_type=media_type)) for c in built) == 1


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_converted_twice_the_same_way(converter: Converter, text: str) -> None:
    for media_type in texts_accepted(converter):
        field = RawField(text=text, media_type=media_type)
        once = converter.convert(field, "https://example.org/")
        assert once == converter.convert(field, "https://example.org/")
        assert ("words" in once) == ("words" in text)


def test_script_style_and_comments_of_html_never_survive(converter: Converter) -> None:
    html = (
        "<p>words</p>\n\n<script>gone()</script><style>gone {}</style>\n\ntext <!-- gone\n\ngone --> words\n"
    )
    for media_type in texts_accepted(converter):
        if media_type not in ("text/plain", PAGED_MARKDOWN):  # in which tags are text
            markdown = converter.convert(RawField(text=html, media_type=media_type), "")
            assert "gone" not in markdown
            assert markdown.count("words") == 2
