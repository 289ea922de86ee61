import pytest

from codesage.parsing.conflicts import ours


def test_our_side_of_a_conflict_stays_where_it_is():
    data = b"a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\nb\n"

    seen = ours(data)

    assert seen.replace(b" ", b"") == b"a\n\nours\n\n\n\nb\n"
    assert seen.index(b"b\n") == data.index(b"b\n")
    assert len(seen) == len(data)


def test_the_base_of_a_conflict_is_not_seen():
    data = b"<<<<<<< HEAD\nours\n||||||| 3f2a\nbase\n=======\ntheirs\n>>>>>>> topic"

    seen = ours(data)

    assert seen.split() == [b"ours"]


def test_each_of_several_conflicts_is_taken_by_itself():
    conflict = b"<<<<<<< HEAD\nours\n=======\n>>>>>>> topic\n"

    seen = ours(conflict + b"between\n" + conflict)

    assert seen.split() == [b"ours", b"between", b"ours"]


@pytest.mark.parametrize(
    "data",
    [
        b"<<<<<<< a sign of beauty\n",
        b"<<<<<<< HEAD\nours\n=======\ntheirs\n",
        b"<<<<<<< HEAD\nours\n>>>>>>> topic\n",
        b"Title\n=======\n<<<<<<<<<<\n>>>>>>> quoted\n",
        b"if a <<<<<<< b:\n=======\n>>>>>>> c\n",
    ],
)
def test_what_is_no_whole_conflict_stays_as_it_is(data):
    assert ours(data) == data
