# SPDX-License-Identifier: BSD-3-Clause
"""Reads a spec file into lines of tokens, with positions for messages.

A line is a list of words, numbers, strings and symbols; `#` starts a comment. A line
that is indented belongs to the record that the last line at the margin has opened. `?` is
what somebody has yet to write: nothing takes it, so that the complaint says what belongs
there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from codegen.position import Position, SpecError, did_you_mean

SYMBOLS = (">=", "==", ">", ":", ",", "|", ".", "[", "]", "*", "-", "?")


class Sort(Enum):
    """What a token is; the value is how messages call it."""

    WORD = "word"
    NUMBER = "number"
    STRING = "string"
    SYMBOL = "symbol"
    END = "end of line"


@dataclass(frozen=True)
class Token:
    """One token; `text` of a string is what stands between the quotes."""

    sort: Sort
    text: str
    column: int = 0  # where it begins, from 1
    end: int = 0  # where the next one may

    def __str__(self) -> str:
        if self.sort is Sort.END:
            return str(self.sort.value)
        return f'"{self.text}"' if self.sort is Sort.STRING else f"'{self.text}'"


END = Token(Sort.END, "")


@dataclass(frozen=True)
class Line:
    """The tokens of one line that is neither empty nor a comment."""

    position: Position
    indented: bool
    tokens: tuple[Token, ...]


def _length_while(text: str, start: int, more: str) -> int:
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] in more):
        end += 1
    return end


def _scan(text: str, start: int, position: Position) -> Token:
    """The token that starts at `start`."""
    letter = text[start]
    if letter == '"':
        end = text.find('"', start + 1)
        if end < 0:
            here = replace(position, column=start + 1, width=1)
            raise SpecError(here, "string without its closing quote; add the quote")
        return Token(Sort.STRING, text[start + 1 : end], start + 1, end + 1)
    if letter.isdigit() or (letter == "-" and text[start + 1 : start + 2].isdigit()):
        end = _length_while(text, start + 1, ".")
        return Token(Sort.NUMBER, text[start:end], start + 1, end)
    if letter.isalpha() or letter == "_":
        end = _length_while(text, start, "_")
        return Token(Sort.WORD, text[start:end], start + 1, end)
    for symbol in SYMBOLS:
        if text.startswith(symbol, start):
            return Token(Sort.SYMBOL, symbol, start + 1, start + len(symbol))
    here = replace(position, column=start + 1, width=1)
    if letter == "\t":
        raise SpecError(here, "a tab is found; write blanks")
    remedy = "write bounds as '>= 0' or '> 0'" if letter in "=<" else "remove it"
    raise SpecError(here, f"character '{letter}' means nothing here; {remedy}")


def _tokens(text: str, position: Position) -> Iterator[Token]:
    at = 0
    while at < len(text) and text[at] != "#":
        if text[at] == " ":
            at += 1
            continue
        token = _scan(text, at, position)
        at = token.end
        yield token


def _decoded(data: bytes, name: str) -> str:
    """The text of a file."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = (data[: error.start].decode("utf-8") + "?").splitlines()
        text = data.decode("utf-8", "replace").splitlines()[len(before) - 1]
        where = Position(name, len(before), text, len(before[-1]), 1)
        message = f"byte 0x{data[error.start]:02x} is no UTF-8; save the file as UTF-8"
        raise SpecError(where, message) from error


def read_lines(path: Path, name: str) -> list[Line]:
    """All lines of the file; `name` is how messages call it."""
    lines = []
    whole = _decoded(path.read_bytes(), name)
    for number, text in enumerate(whole.splitlines(), 1):
        position = Position(name, number, text)
        tokens = tuple(_tokens(text, position))
        if tokens:
            lines.append(Line(position, text.startswith(" "), tokens))
    return lines


class Cursor:
    """Walks over the tokens of one line; a complaint names the line and the record."""

    def __init__(self, line: Line, record: str = "") -> None:
        self._tokens = line.tokens
        self._next = 0
        self.position = line.position
        self.record = record

    @property
    def place(self) -> Position:
        """Where the token is that was taken last, or the first if none was."""
        last = min(max(self._next, 1), len(self._tokens))
        return self._at(self._tokens[last - 1])

    @property
    def next_place(self) -> Position:
        """Where the next token is."""
        return self._at(self.peek())

    def _at(self, token: Token) -> Position:
        if token is END:
            return replace(self.position, column=self._tokens[-1].end + 1, width=1)
        width = token.end - token.column + 1
        return replace(self.position, column=token.column, width=width)

    def error(self, message: str) -> SpecError:
        """The error to raise about the token that was taken last."""
        return SpecError(self.place, message, self.record)

    def unexpected(self, message: str) -> SpecError:
        """The error to raise about the next token."""
        return SpecError(self.next_place, message, self.record)

    def lacks(self, message: str) -> SpecError:
        """The error to raise about the record as a whole."""
        return SpecError(self.position.at(self.record), message, self.record)

    def peek(self) -> Token:
        """The next token, not taken."""
        return self._tokens[self._next] if self._next < len(self._tokens) else END

    def at_end(self) -> bool:
        """No token is left."""
        return self._next == len(self._tokens)

    def take(self) -> Token:
        """The next token, of any sort."""
        token = self.peek()
        self._next += 1
        return token

    def accept(self, *texts: str) -> bool:
        """Take these words or symbols if they all come next."""
        following = self._tokens[self._next : self._next + len(texts)]
        plain = [t.text for t in following if t.sort in (Sort.WORD, Sort.SYMBOL)]
        if plain != list(texts):
            return False
        self._next += len(texts)
        return True

    def _take_sort(self, sort: Sort, what: str) -> str:
        token = self.peek()
        if token.sort is not sort:
            raise self.unexpected(f"{token} found; write {what} here")
        self._next += 1
        return token.text

    def word(self, what: str) -> str:
        """A word; `what` says what it names."""
        return self._take_sort(Sort.WORD, what)

    def string(self, what: str) -> str:
        """A quoted text."""
        return self._take_sort(Sort.STRING, what)

    def dotted(self, what: str) -> str:
        """A number with dots, as of a version or a section."""
        return self._take_sort(Sort.NUMBER, what)

    def number(self, what: str) -> int:
        """An integer."""
        text = self._take_sort(Sort.NUMBER, what)
        if not text.removeprefix("-").isdecimal():
            raise self.error(f"'{text}' is no integer; write {what} in digits alone")
        return int(text)

    def listed(self, separator: str, what: str) -> tuple[str, ...]:
        """One or more words with a symbol between them."""
        words = [self.word(what)]
        while self.accept(separator):
            words.append(self.word(what))
        return tuple(words)

    def expect(self, symbol: str, what: str) -> None:
        """A symbol that must come next."""
        if not self.accept(symbol):
            message = f"{self.peek()} found; write '{symbol}' {what}"
            raise self.unexpected(message)

    def expect_end(self) -> None:
        """Nothing may follow."""
        if not self.at_end():
            message = f"{self.peek()} is not understood here; remove it"
            raise self.unexpected(message)


def pick(cursor: Cursor, what: str, allowed: tuple[str, ...]) -> str:
    """A word out of a closed list."""
    word = cursor.word(what)
    if word not in allowed:
        remedy = did_you_mean(word, allowed, f"use one of {', '.join(allowed)}")
        raise cursor.error(f"unknown {what} '{word}'; {remedy}")
    return word


def take_only(cursor: Cursor, every: tuple[str, ...]) -> tuple[str, ...]:
    """`only NAME, ...`, a choice of languages, or all of them."""
    if not cursor.accept("only"):
        return every
    languages = [pick(cursor, "language", every)]
    while cursor.accept(","):
        languages.append(pick(cursor, "language", every))
    return tuple(languages)
