"""Errors in what a user gives, with their place and a hint."""

from __future__ import annotations

from typing import NamedTuple


class Diagnostic(NamedTuple):
    """One thing wrong with an input.

    Attributes
    ----------
    file : str
        The file, or empty.
    line, column : int
        Place in the file, from 1; 0 if unknown.
    path : str
        Name of the argument, or the place in the document: ``bodies[2] › shape › size``.
    message : str
        What was expected and what was found.
    excerpt : str
        The line of the file, or empty.
    hint : str
        What to do about it, or empty.
    """

    file: str
    line: int
    column: int
    path: str
    message: str
    excerpt: str
    hint: str


class InputError(ValueError):
    """Wrong input: an argument, a file, a scene. Its text tells all mistakes with places and hints.

    Attributes
    ----------
    diagnostics : tuple of Diagnostic
        One per mistake, at least one.
    """

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics or (Diagnostic("", 0, 0, "", text, "", ""),)

    @property
    def place(self) -> str:
        """Place of the first mistake: the name of an argument, or the path in a document or file."""
        return self.diagnostics[0].path

    @property
    def hint(self) -> str:
        """Hint for the first mistake, or empty."""
        return self.diagnostics[0].hint


class UncertifiedError(RuntimeError):
    """A solution that was asked to be certified and is not (`Solution.raise_if_uncertified`)."""


def refuse(place: str, message: str, hint: str = "") -> InputError:
    """An InputError of one mistake."""
    text = f"{place}: {message}" + (f"\nhint: {hint}" if hint else "")
    return InputError(text, (Diagnostic("", 0, 0, place, message, "", hint),))


for _type in (Diagnostic, InputError, UncertifiedError):
    _type.__module__ = "talus"
