"""Trees come back as they were stored, and tell which packs a commit changed."""

import pytest

from codesage import trees
from codesage.errors import CorruptObject
from codesage.packs import pack_of
from codesage.runs import Layout
from codesage.skips import Skip
from codesage.trees import TreeEntry, changed_packs, tree_of

ENTRIES = [TreeEntry(f"src/{number}.py", "100644", f"{number:040x}", 10) for number in range(40)]
ODD = [
    TreeEntry("latin\udce9.py", "100644", "e" * 40, 5),
    TreeEntry("logo.png", "100644", "f" * 40, 9, Skip.BINARY),
    TreeEntry("notes.txt", "100644", "d" * 40, 9, Skip.NO_LANGUAGE),
]


def test_a_tree_comes_back_as_it_was_stored() -> None:
    tree = tree_of("c" * 40, Layout(2, 4), [*ODD, *ENTRIES])

    again = trees.decode(trees.encode(tree), "key")

    assert again == tree
    assert again.hashes == tree.hashes


@pytest.mark.parametrize("entry", [*ODD, ENTRIES[0], ENTRIES[-1]])
def test_one_path_is_found_without_decoding_the_others(entry: TreeEntry) -> None:
    tree = tree_of("c" * 40, Layout(2, 4), [*ODD, *ENTRIES])

    located = trees.locate(trees.encode(tree), "key", entry.path)

    pack = pack_of(entry.path, 4)
    assert (located.commit, located.path, located.entry) == (tree.commit, entry.path, entry)
    assert (located.pack, located.pack_name) == (f"2.{pack}", tree.hashes[pack])


def test_a_path_is_found_by_its_text_and_a_part_of_one_is_not() -> None:
    literal = TreeEntry("b\\xe9.py", "100644", "1" * 40, 5)
    data = trees.encode(tree_of("c" * 40, Layout(2, 4), [*ODD, *ENTRIES, literal]))

    assert trees.locate(data, "key", "latin\\xe9.py").entry == ODD[0]
    assert trees.locate(data, "key", "b\\xe9.py").entry == literal
    for absent in ("src", "src/", "0.py", "SRC/0.py", "latin\\xe8.py", 'src/0.py", "100644'):
        assert trees.locate(data, "key", absent).entry is None


def test_a_setting_is_a_part_of_what_a_tree_was_decided_by() -> None:
    assert trees.rules_version(()) == tree_of("c" * 40, Layout(1, 1), []).rules_version
    assert len({trees.rules_version(exclude) for exclude in ((), ("a",), ("a", "b"), ("b", "a"))}) == 4


def test_packs_hold_what_has_text_and_skips_count_the_rest() -> None:
    tree = tree_of("c" * 40, Layout(1, 2), [*ODD, *ENTRIES])

    in_packs = {file.path for files in tree.packs.values() for file in files}

    assert in_packs == {entry.path for entry in [*ODD, *ENTRIES]} - {"logo.png"}
    assert tree.skips == {Skip.BINARY: 1}


def test_one_changed_file_changes_one_pack() -> None:
    layout = Layout(1, 4)
    old = tree_of("a" * 40, layout, ENTRIES)
    new = tree_of("b" * 40, layout, [TreeEntry("src/0.py", "100644", "9" * 40, 11), *ENTRIES[1:]])

    assert len(changed_packs(old, new)) == 1
    assert changed_packs(old, old) == frozenset()
    assert changed_packs(None, new) == {"1.0", "1.1", "1.2", "1.3"}


def test_a_damaged_tree_says_which_it_is() -> None:
    with pytest.raises(CorruptObject, match="some-key"):
        trees.decode(b"damaged", "some-key")
    with pytest.raises(CorruptObject, match="some-key"):
        trees.locate(b"damaged", "some-key", "a.py")
