"""Small acts, written for the tests, in the layouts of EUR-Lex."""

PAGE_HEAD = """
<table><tr><td><p class="oj-hd-date">5.3.2031</p></td><td><p class="oj-hd-lg">EN</p></td>
<td><p class="oj-hd-ti">Official Journal</p></td><td><p class="oj-hd-oj">L 7/1</p></td></tr></table>
<hr class="oj-separator"/>"""

TITLE = """
<div class="eli-main-title" id="tit_1"><p class="oj-doc-ti">REGULATION (EU) 2031/77 OF THE COUNCIL</p>
<p class="oj-doc-ti">of 3 March 2031</p>
<p class="oj-doc-ti">on the keeping of bees (Bees Act)</p>
<p class="oj-doc-ti">(Text with EEA relevance)</p></div>"""


def page(body: str) -> str:
    """A whole page, as the site sends it."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><html><head><title>x</title></head><body>{body}</body></html>'
    )


def item(marker: str, content: str) -> str:
    """A point of a list as the Official Journal lays it out: a table of one row."""
    return (
        f'<table><tbody><tr><td><p class="oj-normal">{marker}</p></td><td>{content}</td></tr></tbody></table>'
    )


def text(content: str) -> str:
    """A paragraph of the Official Journal."""
    return f'<p class="oj-normal">{content}</p>'


def article(number: str, body: str, heading: str = "") -> str:
    """An article as the Official Journal writes it since 2013."""
    title = f'<div class="eli-title"><p class="oj-sti-art">{heading}</p></div>' if heading else ""
    return (
        f'<div class="eli-subdivision" id="art_{number}"><p class="oj-ti-art">Article {number}</p>{title}'
        f"{body}</div>"
    )


def annex(caption: str, body: str, identifier: str = "anx_I", heading: str = "") -> str:
    """An annex of the Official Journal."""
    title = f'<p class="oj-doc-ti">{heading}</p>' if heading else ""
    return (
        f'<hr class="oj-doc-sep"/><div class="eli-container" id="{identifier}">'
        f'<p class="oj-doc-ti" id="caption-of-{caption.replace(" ", "-")}">{caption}</p>{title}{body}</div>'
    )


def official_journal(body: str, *, head: str = PAGE_HEAD + TITLE) -> str:
    """An act in the layout of the Official Journal."""
    return page(f'{head}<div class="eli-subdivision" id="enc_1">{body}</div><hr class="oj-doc-end"/>')


def consolidated(body: str) -> str:
    """An act as consolidated, with its head of metadata."""
    return page(f"""
<p class="reference">02031R0077 — EN — 01.06.2032 — 001.002</p><hr class="separator"/>
<p class="disclaimer">This text has no legal effect.</p>
<table><tr><td><p class="arrow"><a>►B</a></p></td><td><p class="title-doc-first">REGULATION (EU) 2031/77</p>
</td></tr></table><p class="hd-modifiers">Amended by:</p>
<table><tr><td><p class="arrow"><a>►M1</a></p></td>
<td><p class="title-fam-member-star"><a>REGULATION (EU) 2032/5 OF THE COUNCIL of 1 May 2032</a></p></td>
<td><p class="toc-1">L 9</p></td></tr></table>
<hr class="separator"/><p class="arrow"><a>▼B</a></p>
<p class="title-doc-first">REGULATION (EU) 2031/77 OF THE COUNCIL</p>
<p class="title-doc-first">of 3 March 2031</p><p class="title-doc-last">on the keeping of bees</p>{body}""")
