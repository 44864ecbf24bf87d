"""An operator's prompts take the place of the package's, if they work."""

import re
from datetime import date
from pathlib import Path
from typing import Final

import pytest

from app.chat.model.prompt_check import load_prompts
from app.chat.model.prompts import PACKAGE_PROMPTS, Prompts
from app.errors import SettingsError

TODAY: Final = date(2026, 11, 21)
GOOD: Final = """{% block system %}Ours on {{ today }}{% endblock %}
{% block user %}{% include "sources.de.jinja" %}{{ question | data }}{% endblock %}
"""


def asked(prompts: Prompts, language: str) -> list[str]:
    messages = prompts.answer(question="Q?", sources=(), history=(), language=language, today=TODAY)
    return [message.content for message in messages]


def test_a_file_of_the_folder_takes_the_place_of_the_packages_and_the_others_stay(tmp_path: Path) -> None:
    (tmp_path / "answer.de.jinja").write_text(GOOD)
    (tmp_path / ".swp").write_text("")
    prompts = load_prompts(tmp_path)
    assert asked(prompts, "de") == ["Ours on 2026-11-21", "Q?"]
    assert asked(prompts, "en") == asked(PACKAGE_PROMPTS, "en")


def test_a_file_for_another_language_is_used_for_it(tmp_path: Path) -> None:
    (tmp_path / "answer.fr.jinja").write_text(GOOD)
    assert asked(load_prompts(tmp_path), "fr") == ["Ours on 2026-11-21", "Q?"]
    assert asked(load_prompts(None), "fr") == asked(PACKAGE_PROMPTS, "en")


def test_a_part_that_prompts_include_can_be_replaced_alone(tmp_path: Path) -> None:
    (tmp_path / "question.en.jinja").write_text("Ours: {{ question | data }}\n")
    assert asked(load_prompts(tmp_path), "en") == [asked(PACKAGE_PROMPTS, "en")[0], "Ours: Q?"]


def test_what_was_checked_at_the_start_goes_on_being_used(tmp_path: Path) -> None:
    file = tmp_path / "answer.de.jinja"
    file.write_text(GOOD)
    prompts = load_prompts(tmp_path)
    file.write_text("{% broken")
    assert asked(prompts, "de") == ["Ours on 2026-11-21", "Q?"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("answer.de.jinja", GOOD.replace("{% endblock %}", "", 1), "answer.de.jinja, line"),
        ("answer.de.jinja", f"\n\n{GOOD}{{{{ 1 | nothing }}}}", "answer.de.jinja, line 5: No filter"),
        ("law.en.jinja", GOOD.replace("today", "tody"), "law.en.jinja, line 1: 'tody' is undefined"),
        ("law.en.jinja", GOOD.replace("sources.de", "source.de"), "law.en.jinja, line 2: source.de.jinja"),
        ("law.en.jinja", "no blocks", "law.en.jinja: 'system'"),
        ("rephrase.de.jinja", GOOD, "rephrase.de.jinja, line 2: "),
        (
            "answer.de.jinja",
            GOOD.replace(" | data", ""),
            "answer.de.jinja outputs a text without the filter `data`",
        ),
        (
            "sources.de.jinja",
            "{% for source in sources %}{{ source.text }}{% endfor %}",
            "outputs a text without",
        ),
        (
            "answr.de.jinja",
            GOOD,
            "answr.de.jinja is not a prompt: name it like answer.de.jinja; known: answer,",
        ),
        ("answer.de.txt", GOOD, "is not a prompt"),
    ],
)
def test_a_broken_prompt_is_an_error_of_the_settings_that_names_file_and_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(SettingsError, match=re.escape(message)) as caught:
        load_prompts(tmp_path)
    assert str(caught.value).startswith("setting 'chat.prompts': ")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text_and_a_folder_that_is_none_are_errors_too(tmp_path: Path) -> None:
    (tmp_path / "answer.de.jinja").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=r"answer.de.jinja: 'utf-8' codec can't decode"):
        load_prompts(tmp_path)
    with pytest.raises(SettingsError, match="nowhere cannot be read: No such file"):
        load_prompts(tmp_path / "nowhere")
