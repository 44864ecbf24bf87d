"""The shape of the code is read from its imports."""

from benchmarks.structure import QUESTION_WORDS, Module, arrows, circle, floors, modules

LAZY = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from app.chat import answers\n"


def code(**texts: str) -> dict[str, Module]:
    """Modules of ``app`` with these sources; two underscores stand for a dot."""
    named = {f"app.{name.replace('__', '.')}": text for name, text in texts.items()}
    return {name: Module(name, text) for name, text in named.items()}


def test_an_arrow_joins_two_rooms_however_many_modules_import_each_other() -> None:
    modules = code(
        chat__a="import app.search.b\nimport app.search.c", search__b="import app.search.c", search__c=""
    )
    assert arrows(modules) == {("chat", "search")}


def test_the_longest_way_down_counts_the_floors() -> None:
    assert floors({("console", "chat"), ("chat", "search"), ("console", "search")}) == 3


def test_modules_that_import_each_other_are_a_circle() -> None:
    modules = code(
        chat__a="from app.chat import b", chat__b="from app.chat.c import x", chat__c="import app.chat.a"
    )
    assert sorted(set(circle(modules))) == ["app.chat.a", "app.chat.b", "app.chat.c"]


def test_what_only_a_type_checker_imports_closes_no_circle() -> None:
    assert circle(code(chat__answers="import app.chat.types", chat__types=LAZY)) == []


def test_a_package_is_no_circle_with_the_module_that_it_names() -> None:
    modules = code(search="", search__index="from app.search import fusion", search__fusion="")
    modules["app.search"] = Module("app.search", "from app.search.index import Index")
    assert circle(modules) == []


def core() -> dict[str, Module]:
    """The modules of ``app`` without features."""
    return {name: each for name, each in modules().items() if not each.room.startswith("features.")}


def test_the_core_has_few_rooms_floors_and_arrows_and_no_modules_import_each_other() -> None:
    found = core()
    pairs = arrows(found)
    assert len({each.room for each in found.values() if each.room}) <= 31
    assert floors(pairs) <= 16
    assert len(pairs) <= 190
    assert circle(modules()) == []


def test_no_module_is_described_by_a_question() -> None:
    assert [name for name, each in modules().items() if each.opening in QUESTION_WORDS] == []


def test_the_core_mentions_no_feature() -> None:
    features = {each.room for each in modules().values() if each.room.startswith("features.")}
    mentioned = [(name, room) for name, each in core().items() for room in features if room in each.text]
    assert mentioned == []
