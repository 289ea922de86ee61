"""GitLab, also self-hosted: `<page>/-/blob/<ref>/<file>#L10-20`."""


def form(page: str, ref: str, file: str, lines: tuple[int, int] | None) -> str:
    anchor = "" if lines is None else f"#L{lines[0]}-{lines[1]}"
    return f"{page}/-/blob/{ref}/{file}{anchor}"
