"""What a grammar sees of a file with a preprocessor: spaces in place of what it cannot read."""

import pytest

from codesage.parsing.preprocessor import without_macros, without_split_blocks


def seen(text: str) -> list[str]:
    """What is left on each line of a source that conditionals split."""
    return [line.strip() for line in without_split_blocks(text.encode()).decode().split("\n")]


def test_of_an_if_that_splits_a_block_the_first_branch_is_left():
    source = "#if A\nif (x) {\n#elif B\nif (y) {\n#else\n{\n#endif\n}"

    assert seen(source) == ["", "if (x) {", "", "", "", "", "", "}"]


def test_an_if_around_whole_definitions_stays():
    source = "#ifdef A\nint f() { return 1; }\n#else\nint g() { return 2; }\n#endif"

    assert seen(source) == source.split("\n")


def test_an_if_in_a_list_of_parameters_is_read_as_its_parameters():
    assert seen("f(\n#if A\nint a,\n#endif\nint b) {}") == ["f(", "", "int a,", "", "int b) {}"]


def test_of_an_if_0_that_is_no_code_the_else_is_left():
    assert seen("#if 0\nit's {\n#else\nf() {\n#endif\n}") == ["", "", "", "f() {", "", "}"]


def test_an_if_0_without_an_else_leaves_nothing():
    assert seen("#if 0\nand so on\n#endif\nint a;") == ["", "", "", "int a;"]


def test_a_block_split_by_an_inner_if_splits_the_outer_one_too():
    source = "#if A\n#if B\nf() {\n#else\ng() {\n#endif\n#else\nh() {\n#endif\n}"

    assert seen(source) == ["", "", "f() {", "", "", "", "", "", "", "}"]


@pytest.mark.parametrize(
    "code", ['s = "{";', "c = '{';", "a; // {", "a; /*\n{ */", 's = @"\\{\n";', '"""\n{"""; ', 'R"x({)"{)x";']
)
def test_a_brace_in_text_opens_no_block(code):
    source = f"#if A\n{code}\n#else\nb;\n#endif"

    assert without_split_blocks(source.encode()).decode() == source


def test_a_macro_of_several_lines_is_seen_without_its_comments():
    assert seen("#define A(x) \\\n /* why */ \\\n x") == ["#define A(x) \\", "\\", "x"]


def test_an_endif_alone_and_an_if_alone_are_left_as_they_are():
    assert seen("#endif\n#else\n#if A\n{") == ["#endif", "#else", "#if A", "{"]


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("class API Shape : Base {", "class     Shape : Base {"),
        ("struct EXPORT(1) ALIGNED Box<T> {", "struct                   Box<T> {"),
        ("class API Shape;", "class API Shape;"),
        ("struct NODE node = {", "struct NODE node = {"),
        ("class BOX final {", "class BOX final {"),
        ("void f() const LOCKS(a) {", "void f() const          {"),
        ("LIST(a)\nTEST(b, c) {", "LIST(a)\nTEST(b, c) {"),
        ("END_NAMESPACE\n\nstruct A {};", "             \n\nstruct A {};"),
        ("BOOL\nstatic f() {", "BOOL\nstatic f() {"),
    ],
)
def test_a_macro_where_the_language_has_nothing_becomes_spaces(written, left):
    assert without_macros(written.encode()).decode() == left


def test_offsets_and_lines_of_a_file_that_is_not_ascii_stay():
    source = "#if „A“\nif (ö) {\n#else\nif (ü) {\n#endif\n}\nclass GRÖẞE API Länge {};\n".encode()

    readable = without_macros(without_split_blocks(source))

    assert len(readable) == len(source)
    assert [at for at, byte in enumerate(readable) if byte == 10] == [
        at for at, byte in enumerate(source) if byte == 10
    ]
