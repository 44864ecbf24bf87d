"""How a converting child and its parent talk: JSON objects, each behind its length (4 bytes, big-endian)."""

import json
import struct
from typing import IO, Any, Final

Frame = dict[str, Any]

_LENGTH: Final = struct.Struct(">I")


def write(stream: IO[bytes], frame: Frame) -> None:
    """Send one frame. Lone surrogates pass. Raises ``OSError`` if the other side is gone."""
    body = json.dumps(frame, ensure_ascii=False).encode("utf-8", "surrogatepass")
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)
    stream.flush()


def read(stream: IO[bytes]) -> Frame | None:
    """Receive one frame; ``None`` if the other side is gone, be it in the middle of a frame."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        return None
    frame: Frame = json.loads(body.decode("utf-8", "surrogatepass"))
    return frame
