"""Trees come back as they were stored, and tell which packs a commit changed."""

import pytest

from codesage import trees
from codesage.errors import CorruptObject
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
