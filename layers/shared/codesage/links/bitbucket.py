"""Bitbucket Cloud: `<page>/src/<ref>/<file>#lines-10:20`."""


def form(page: str, ref: str, file: str, lines: tuple[int, int] | None) -> str:
    anchor = "" if lines is None else f"#lines-{lines[0]}:{lines[1]}"
    return f"{page}/src/{ref}/{file}{anchor}"
