"""What may be raised. A kernel's fault is never raised: it is a StageReport with a verdict."""


class ToolFailure(Exception):
    """Our compiler, jail, cache or GPU let us down; the kernel is not to blame and the work may be retried.

    ``action`` says what the operator can do about it.
    """

    def __init__(self, what: str, *, action: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.action = action


class CannotJail(ToolFailure):
    """This host cannot jail a process as the rules demand; nothing was run."""


class ToolMissing(ToolFailure):
    """A pinned tool is not installed where it should be."""


class NotHere(ToolFailure):
    """This worker does not take such work just now; nothing failed, and another one may take it."""


class InvalidInput(Exception):
    """A file or document that a person or program handed to us breaks a rule of its format.

    ``where`` names the file, ``key`` the place in it (``inputs.A.shape``), ``rule`` what is wrong and what is allowed.
    """

    def __init__(self, *, where: str, key: str, rule: str) -> None:
        super().__init__(f"{where}: {key}: {rule}" if key else f"{where}: {rule}")
        self.where = where
        self.key = key
        self.rule = rule
