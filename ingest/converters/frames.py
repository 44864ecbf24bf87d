"""The messages between converter process and parent: JSON objects, each after its length (uint32,
big-endian)."""

import json
import struct
from typing import IO, Any, Final

Frame = dict[str, Any]

_LENGTH: Final = struct.Struct(">I")


def write(stream: IO[bytes], frame: Frame) -> None:
    """Send one frame. Lone surrogates are allowed. Raises ``OSError`` if the other side is gone."""
    body = json.dumps(frame, ensure_ascii=False).encode("utf-8", "surrogatepass")
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)
    stream.flush()


def read(stream: IO[bytes]) -> Frame | None:
    """Receive one frame; ``None`` if the other side is gone, even in the middle of a frame."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        return None
    frame: Frame = json.loads(body.decode("utf-8", "surrogatepass"))
    return frame
