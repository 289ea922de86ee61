"""GitHub, also Enterprise: `<page>/blob/<ref>/<file>#L10-L20`."""


def form(page: str, ref: str, file: str, lines: tuple[int, int] | None) -> str:
    anchor = "" if lines is None else f"#L{lines[0]}-L{lines[1]}"
    return f"{page}/blob/{ref}/{file}{anchor}"
