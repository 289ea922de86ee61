"""What a command cannot do -> one line for the person who typed it."""


class CommandError(Exception):
    """Expected trouble. The message says what is wrong and, where there is a way, what to do."""
