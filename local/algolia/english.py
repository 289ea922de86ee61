"""An English word -> whether it is a stop word, and its other number (`file`, `files`).

The real service reads both from dictionaries. The rules here cover the regular plurals and the irregular
ones that programmers write; a word they do not know simply has no other form.
"""

STOP_WORD_LIST = """
    a about above after again all also am an and any are as at be because been before being below between
    both but by can could did do does doing down during each few for from further had has have having he
    her here hers him his how i if in into is it its itself just me more most my no nor not now of off on
    once only or other our out over own same she should so some such than that the their them then there
    these they this those through to too under until up very was we were what when where which while who
    whom why will with would you your
"""
STOP_WORDS = frozenset(STOP_WORD_LIST.split())

IRREGULAR = {
    "analysis": "analyses", "appendix": "appendices", "axis": "axes", "basis": "bases", "child": "children",
    "criterion": "criteria", "datum": "data", "foot": "feet", "index": "indices", "man": "men",
    "matrix": "matrices", "mouse": "mice", "person": "people", "schema": "schemata", "vertex": "vertices",
    "woman": "women",
}  # fmt: skip
SINGULAR = {plural: singular for singular, plural in IRREGULAR.items()}

SIBILANTS = ("s", "x", "z", "ch", "sh")
NEVER_PLURAL = ("ss", "us", "is")
SHORTEST_STEM = 2  # letters before an `s`; `is` and `as` are no plurals


def other_numbers(word: str) -> frozenset[str]:
    """The singular and plural forms of `word`, without `word` itself.

    The rules may make a form that is no English word; as nobody writes it, looking it up finds nothing.
    """
    forms = {_plural(word)} | _singulars(word)
    if word in IRREGULAR:
        forms.add(IRREGULAR[word])
    if word in SINGULAR:
        forms.add(SINGULAR[word])
    return frozenset(forms - {word, ""})


def _plural(word: str) -> str:
    if not word[-1:].isalpha():
        return ""
    if word.endswith(SIBILANTS):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in set("aeiou"):
        return word[:-1] + "ies"
    return word + "s"


def _singulars(word: str) -> set[str]:
    if not word.endswith("s") or word.endswith(NEVER_PLURAL) or len(word) <= SHORTEST_STEM:
        return set()
    forms = {word[:-1]}
    if word.endswith("ies"):
        forms.add(word[:-3] + "y")
    if word.endswith("es") and word[:-2].endswith(SIBILANTS):
        forms.add(word[:-2])
    return forms
