"""Two values that stand for the lack of one: not known, and to be given. Each is one object, also after pickling."""


class _Unknown:
    """The value of a cell that is not known; never equal to a value of the rules."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "unknown"

    def __reduce__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()


class _Required:
    __slots__ = ()

    def __reduce__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()
