"""Errors carry the template of their message and its values, and survive being pickled and copied."""

import copy
import pickle
from datetime import UTC, datetime

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

from app.errors import (
    AuskunftError,
    BlockedAddressError,
    EventsError,
    FetchError,
    FieldError,
    FloodError,
    ForeignIndexError,
    GenerationChangedError,
    InputError,
    ModelError,
    NotFoundError,
    PageError,
    RedirectedError,
    SourceUnavailableError,
    TokenError,
)


class Words(BaseModel):
    """A document with a list that may be wrong in several ways."""

    words: list[str] = Field(default=[], max_length=2)
    day: datetime | None = None

    @field_validator("words")
    @classmethod
    def _not_empty(cls, words: list[str]) -> list[str]:
        if "" in words:
            raise ValueError("must not be empty")
        return words


def field_error(document: object) -> FieldError:
    """The error of a wrong document."""
    with pytest.raises(ValidationError) as raised:
        Words.model_validate(document)
    return FieldError(raised.value.errors()[0])


def test_a_message_is_its_template_filled_with_the_values() -> None:
    error = NotFoundError("there is no page {name!r} among {count:,}", name="a b", count=12_345)
    assert str(error) == "there is no page 'a b' among 12,345"
    assert error.template == "there is no page {name!r} among {count:,}"
    assert error.values == {"name": "a b", "count": 12_345}


def test_a_message_without_values_may_have_braces() -> None:
    error = InputError('give {"id": 1}, not {}')
    assert str(error) == error.template == 'give {"id": 1}, not {}'
    assert error.values == {}


def test_an_error_among_the_values_is_shown_by_its_message() -> None:
    inner = PageError("invalid", "no {kind}", kind="title")
    error = PageError("invalid", "line {number}: {error}", number=3, error=inner)
    assert str(error) == "line 3: no title"
    assert error.values["error"] is inner


def test_values_may_be_named_like_what_an_error_takes_itself() -> None:
    error = FetchError("invalid", "{reason}, {template}", http_status=404, reason="a", template="b")
    assert (str(error), error.reason, error.http_status) == ("a, b", "invalid", 404)


@pytest.mark.parametrize(
    "error",
    [
        AuskunftError(),
        InputError("{when:%Y}", when=datetime(2026, 1, 31, tzinfo=UTC)),
        TokenError(),
        EventsError({"0.id": "is missing"}),
        FloodError(2.5),
        PageError("empty", "nothing in {name}", name="a"),
        FetchError("invalid", "{where} answers", http_status=500, where="there"),
        BlockedAddressError("{where} is blocked", where="there"),
        RedirectedError("there", "https://a.example/", permanent=True),
        SourceUnavailableError("{where} is away", retry_seconds=3.0, where="there"),
        ModelError("refused", "{label} refuses", http_status=401, label="it"),
        ForeignIndexError(3),
        GenerationChangedError(None, 4),
        field_error({"words": ["a", "b", "c"]}),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_pickled_or_copied_error_has_all_that_it_had(error: AuskunftError) -> None:
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(same) is type(error)
        assert str(same) == str(error)
        assert vars(same) == vars(error)


def test_a_fields_error_has_the_field_and_pydantics_type_as_its_template() -> None:
    many = field_error({"words": ["a", "b", "c"]})
    assert many.template == "words: too_long"
    assert many.values == {"field_type": "List", "max_length": 2, "actual_length": 3}
    assert str(many) == "words: list should have at most 2 items after validation, not 3"


def test_the_template_of_a_fields_error_has_no_index() -> None:
    error = field_error({"words": ["a", 1]})
    assert error.template == "words.*: string_type"
    assert str(error) == "words.1: input should be a valid string"


def test_the_template_of_a_fields_error_has_the_text_of_our_own_check() -> None:
    error = field_error({"words": [""]})
    assert (error.template, str(error)) == ("words: must not be empty",) * 2
    assert error.values == {}
