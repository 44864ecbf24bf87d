"""A letter as plain text and as HTML that makes mail programs load or run nothing. Pure functions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Final

from markupsafe import Markup

from app.accounts.news import Line, Section

SHOWN: Final = 5
"""Lines per section."""

LINE_CHARACTERS: Final = 998
"""The longest line of a header (RFC 5322)."""

_PAGE: Final = Markup("""\
<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{subject}</title>
<base target="_blank">
</head>
<body style="margin:0;padding:0;background:#ffffff;color:#1b1f24">
<div role="main" style="max-width:600px;margin:0 auto;padding:20px 16px;\
font:16px/1.5 Arial,Helvetica,sans-serif;overflow-wrap:anywhere">
<h1 style="margin:0 0 4px;font-size:22px;line-height:1.3">{subject}</h1>
<p style="margin:0 0 8px">{intro}</p>
{sections}
<p style="margin:32px 0 0;padding-top:12px;border-top:1px solid #c9ced4;font-size:14px;\
color:#4a5259">{why}<br>
<a href="{stop}" style="color:#4a5259">{stop_text}</a></p>
</div>
</body>
</html>
""")
_SECTION: Final = Markup("""\
<h2 style="margin:28px 0 8px;font-size:18px;line-height:1.3">{heading}</h2>
<ul style="margin:0;padding:0 0 0 20px">
{lines}
</ul>
""")
_LINE: Final = Markup("""\
<li style="margin:0 0 10px"><a href="{link}" style="color:#0b57a4">{text}</a><br>
<span style="font-size:14px;color:#4a5259">{detail}</span></li>""")
_ALL: Final = Markup('<p style="margin:0"><a href="{link}" style="color:#0b57a4">{text}</a></p>\n')


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A letter to one reader; not sent if it is empty.

    ``name``: of what it is about. ``address``: of this service. ``stop``: the link that stops the letter.
    ``texts``: in the reader's ``language``.
    """

    name: str
    language: str
    texts: Mapping[str, str]
    sections: Sequence[Section]
    address: str
    stop: str

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to report."""
        return not self.sections

    @property
    def subject(self) -> str:
        """The subject, in one line."""
        return " ".join(self.texts["letter_subject"].format(name=self.name).split())

    @property
    def text(self) -> str:
        """The letter in plain text."""
        return "\n".join(self._lines()) + "\n"

    @property
    def html(self) -> str:
        """The letter as an HTML document of its own."""
        return _PAGE.format(
            language=self.language,
            subject=self.subject,
            intro=self.texts["letter_greeting"],
            sections=Markup("").join(map(self._html_section, self.sections)),
            why=self.texts["letter_why"],
            stop=self.stop,
            stop_text=self.texts["letter_stop"],
        )

    def _lines(self) -> Iterator[str]:
        yield from (self.subject, "", self.texts["letter_greeting"])
        for section in self.sections:
            yield from ("", "", section.heading, "-" * len(section.heading))
            for line in section.lines[:SHOWN]:
                yield from ("", f"* {line.text}", f"  {line.detail}", f"  {self.address}{line.link}")
            if text := self._all(section):
                yield from ("", f"{text}: {self.address}{section.link}")
        yield from ("", "-- ", self.texts["letter_why"], f"{self.texts['letter_stop']}: {self.stop}")

    def _html_section(self, section: Section) -> Markup:
        lines = Markup("\n").join(map(self._html_line, section.lines[:SHOWN]))
        html = _SECTION.format(heading=section.heading, lines=lines)
        if text := self._all(section):
            html += _ALL.format(link=f"{self.address}{section.link}", text=text)
        return html

    def _html_line(self, line: Line) -> Markup:
        return _LINE.format(link=f"{self.address}{line.link}", text=line.text, detail=line.detail)

    def _all(self, section: Section) -> str:
        """Return the text of the link to all lines; empty if all are shown or there is no such page."""
        has_more = section.link and len(section.lines) > SHOWN
        return self.texts["letter_all"] if has_more else ""


def email_of(letter: Letter, to: str, sender: str, now: datetime, message_id: str) -> EmailMessage:
    """Return the letter as an e-mail, which mail programs can unsubscribe from with one click (RFC 8058)."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = to
    message["Subject"] = letter.subject
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{message_id}.letter@{sender.partition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message["List-Unsubscribe"] = f"<{letter.stop}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(letter.text, cte="quoted-printable")
    message.add_alternative(letter.html, subtype="html", cte="quoted-printable")
    # A folded header would have its address encoded, so that mail programs would not recognise it.
    message.policy = message.policy.clone(max_line_length=LINE_CHARACTERS)
    return message
