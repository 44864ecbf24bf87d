"""Access to elements of Word's XML, in either of its two sets of namespaces."""

from typing import Any, Final

_OFF: Final = frozenset({"0", "false", "off"})


def name_of(element: Any) -> str:
    """Return an element's name without its namespace."""
    name: str = element.tag.rpartition("}")[2]
    return name


def child(parent: Any, name: str, default: Any = None) -> Any:
    """Return the first child with this name; ``default`` if there is none or no parent."""
    if parent is None:
        return default
    found = parent.find(f"{{*}}{name}")
    return default if found is None else found


def attribute(element: Any, name: str) -> str:
    """Return an attribute, whatever its namespace; empty if there is none."""
    own = element.get(element.tag.rpartition("}")[0] + "}" + name)
    found: str = own if own is not None else element.get(name, "")
    return found


def value(parent: Any, name: str) -> str:
    """Return the ``val`` of the child with this name; empty if there is none."""
    found = child(parent, name)
    return "" if found is None else attribute(found, "val")


def is_on(properties: Any, name: str) -> bool:
    """Return True if a property is present and not switched off."""
    found = child(properties, name)
    return found is not None and attribute(found, "val").lower() not in _OFF
