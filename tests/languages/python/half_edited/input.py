def before(a, b: int = 2) -> str:
    """Still found."""
    return a

class Edited(Base):
    def inside(self):
        value =
        return value

    def later(self) -> None

def after():
    return 1
