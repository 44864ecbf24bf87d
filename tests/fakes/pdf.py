"""A writer of small PDF files."""

import zlib
from collections.abc import Sequence

_CATALOG = "<< /Type /Catalog /Pages 2 0 R >>"
_FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
_GRADIENT = (
    "<< /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 600 0]"
    " /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [.2] /N 1 >> >> >>"
)


def pdf(pages: Sequence[Sequence[tuple[int, str]]]) -> bytes:
    """Return a PDF with these pages, each of lines as the size of their letters and their text."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        _CATALOG,
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        _FONT,
    ]
    for number, lines in enumerate(pages):
        top, shown = 780, list[str]()
        for size, text in lines:
            shown.append(f"BT /F1 {size} Tf 50 {top} Td ({text}) Tj ET")
            top -= 3 * size
        stream = "\n".join(shown)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return _file(objects)


def drawn_pdf(*streams: str) -> bytes:
    """Return a PDF with a page for each content stream. ``/P`` is a picture of one black point,
    ``/Dark`` a gradient."""
    picture = (
        "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
    )
    objects = [_CATALOG, "", _FONT, f"{picture} /Length 1 >>\nstream\n0\nendstream"]
    kids = list[str]()
    for stream in streams:
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects) + 2} 0 R"
            " /Resources << /Font << /F1 3 0 R >> /XObject << /P 4 0 R >>"
            " /ExtGState << /Faint << /ca 0 >> /Light << /ca .1 >> >>"
            f" /Pattern << /Dark {_GRADIENT} >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    return _file(objects)


def packed_pdf(stream: bytes) -> bytes:
    """Return a PDF of one page with this content stream, packed."""
    data = zlib.compress(stream, 9)
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
    page += " /Resources << /Font << /F1 3 0 R >> >> >>"
    head = f"<< /Length {len(data)} /Filter /FlateDecode >>"
    content = f"{head}\nstream\n{data.decode('latin-1')}\nendstream"
    return _file([_CATALOG, "<< /Type /Pages /Kids [4 0 R] /Count 1 >>", _FONT, page, content])


def _file(objects: Sequence[str]) -> bytes:
    written, offsets = b"%PDF-1.4\n", list[int]()
    for number, text in enumerate(objects, start=1):
        offsets.append(len(written))
        written += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    return written + end.encode("ascii")
