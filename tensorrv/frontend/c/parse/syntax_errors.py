"""Titles, labels and hints of syntax errors, from the parser's message and position."""

from __future__ import annotations

from tensorrv.frontend.c.parse.lexer import Token


def describe(message: str, token: Token, previous: Token | None) -> tuple[str, str, str]:
    """Title, label and hint of a syntax error."""
    named = token.text.isidentifier() or token.text == "*"
    known = named and previous is not None and previous.text.isidentifier()
    match message.split(":")[0]:
        case "before" if known:
            return (
                f"syntax error before '{token.text}'",
                "unexpected here",
                (f"is '{previous.text if previous else ''}' a type that is not declared? Include its header or add a typedef"),
            )
        case "before":
            after = f" after '{previous.text}'" if previous is not None else ""
            return (
                f"syntax error before '{token.text}'",
                f"unexpected{after}",
                "look for a missing ';', operator or bracket just before",
            )
        case "extra brace":
            return "there is one '}' too many", "no matching '{'", ""
        case "Invalid function definition":
            return f"'{token.text}' is not a type", "an unknown type", "include the header that declares it, or add a typedef"
        case "Invalid expression":
            return f"expected an expression before '{token.text}'", "an expression is missing here", ""
        case "Invalid declarator" | "Invalid declaration" | "Missing type in declaration":
            return (
                f"invalid declaration at '{token.text}'",
                "not a valid declaration",
                "check that every type is declared before its use",
            )
        case "Comments are not supported, see https":
            return "this comment has no end", "begins here", "close it with */"
        case other:
            return f"syntax error: {other[:1].lower()}{other[1:]}" + message[len(other) :], "here", ""
