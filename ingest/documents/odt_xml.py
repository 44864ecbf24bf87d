"""Access to elements of OpenDocument's XML, by the prefixes of its specification."""

from typing import Any, Final

_NAMESPACES: Final = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "xml": "http://www.w3.org/XML/1998/namespace",
}
_PREFIXES: Final = {namespace: prefix for prefix, namespace in _NAMESPACES.items()}


def name_of(element: Any) -> str:
    """Return an element's name as ``prefix:name``."""
    namespace, _, name = element.tag.rpartition("}")
    return f"{_PREFIXES.get(namespace[1:], '')}:{name}"


def attribute(element: Any, name: str) -> str:
    """Return an attribute by its prefixed name; empty if there is none."""
    prefix, _, local = name.partition(":")
    found: str = element.get(f"{{{_NAMESPACES[prefix]}}}{local}", "")
    return found
