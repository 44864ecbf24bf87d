"""The sites in the console: the chat in the colours of a website."""

import colorsys
import re

import pytest

from app.console.colours import DARK_GROUND, LEAST_CONTRAST, LIGHT_GROUND, contrast, palette
from app.errors import InputError
from tests.app.console.conftest import Console
from tests.app.web.browser import soup

SITE = "/sites/town?lang=en"


def test_contrasts_are_those_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#7a0b3f", "#7a0b3f") == 1


def test_every_colour_gets_shades_that_can_be_read() -> None:
    colours = [
        "#" + "".join(f"{round(255 * part):02x}" for part in colorsys.hsv_to_rgb(hue / 24, saturation, value))
        for hue in range(24)
        for saturation in (0, 0.3, 1)
        for value in (0, 0.2, 0.6, 1)
    ]
    for colour in colours:
        found = palette(colour)
        for shade, ground in ((found.light, LIGHT_GROUND), (found.dark, DARK_GROUND)):
            assert contrast(shade.colour, ground) >= LEAST_CONTRAST, colour
            assert contrast(shade.colour, shade.on) >= LEAST_CONTRAST, colour
        assert found.is_changed == (contrast(colour, LIGHT_GROUND) < LEAST_CONTRAST)


@pytest.mark.parametrize(
    "wrong", ["red", "#fff", "#7a0b3g", "#7a0b3f;}", "} * { color: red", "#" + "0" * 999]
)
def test_what_is_no_colour_is_refused_and_written_nowhere(editor: Console, wrong: str) -> None:
    with pytest.raises(InputError, match="six hexadecimal digits"):
        palette(wrong)
    for path in ("/sites/town", "/sites/town/preview", "/sites/town/colours.css"):
        answer = editor.get(path, query_string={"accent": wrong})
        assert (answer.status_code, "auskunft-accent" in answer.text) == (400, False)


def test_a_site_shows_the_lines_for_its_style_sheet(editor: Console) -> None:
    page = soup(editor.get(f"{SITE}&accent=%237A0B3F"))
    lines = page.select_one("#colours-css")
    assert lines is not None and "--auskunft-accent: light-dark(#7a0b3f, #" in lines.get_text()
    assert "darkened" not in page.get_text()
    assert "The colour was darkened to #" in soup(editor.get(f"{SITE}&accent=ffcc00")).get_text()
    assert soup(editor.get(SITE)).select_one("#colours-css") is None
    frame = page.select_one("iframe")
    assert frame is not None and frame["src"] == "/admin/sites/town/preview?accent=%237a0b3f&lang=en"


def test_a_site_shows_its_subject_or_that_without_one_nothing_is_outside_it(admin: Console) -> None:
    assert "The AI Act" in facts(admin, "law")
    assert "does not decline questions about other subjects" in facts(admin, "town")


def facts(console: Console, site: str) -> str:
    found = soup(console.get(f"/sites/{site}?lang=en")).select_one("dl.facts")
    assert found is not None
    return found.get_text()


def test_the_preview_has_no_code_of_its_own_and_only_our_pages_frame_it(editor: Console) -> None:
    answer = editor.get("/sites/town/preview?accent=7a0b3f")
    page = soup(answer)
    assert [script.get("src") for script in page.select("script")] == ["/widget.js"]
    assert page.select("style, [style]") == []
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert editor.get(SITE).headers["X-Frame-Options"] == "DENY"
    sheet = editor.get("/sites/town/colours.css?accent=7a0b3f")
    assert (sheet.mimetype, sheet.headers["X-Content-Type-Options"]) == ("text/css", "nosniff")
    assert re.fullmatch(
        r"auskunft-chat \{\n(  --[a-z-]+: light-dark\(#\w{6}, #\w{6}\);\n){2}\}\n", sheet.text
    )


def test_an_editor_of_other_sources_sees_neither_preview_nor_colours(editor: Console) -> None:
    for path in ("/sites/law/preview", "/sites/law/colours.css", "/sites/nothing/preview"):
        assert editor.get(path).status_code == 404, path
