"""Broken C is refused with a diagnostic or accepted, whatever it looks like: never another exception."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from rv.analysis.verify import verify
from tensorrv.frontend.c.codes import CODES
from tensorrv.frontend.c.module import parse_c
from tensorrv.report.diagnostics import Refused, render
from tests.frontend import test_jumps, test_structs, test_values
from tests.frontend.random_c import PRELUDE, Generator

KERNELS = Path(__file__).parents[2] / "kernels"
TOKEN = re.compile(r"\w+|[^\w\s]+|\s+")
SPARE = (
    "( ) [ ] { } ; , = + - * / % & | ^ ~ ! < > ? : . -> ++ -- += << >= && || ' \" # ## \\ \n /* */ // 0 1 08 0x "
    "1.5 1e 1.5f 1.0q 'a '' int double float char long short unsigned signed void const static extern inline "
    "restrict volatile struct union enum typedef sizeof if else for while do switch case default break continue "
    "return goto A B n i j x undefined_name _Bool _Complex _Atomic #define #include #if #ifdef #else #endif #undef "
    "#error #pragma <math.h> defined __LINE__ __FILE__ sqrt asm __asm__ é \x00 \x0c @ $ `"
).split(" ")


def programs() -> list[str]:
    """Texts to break: the shipped kernels, the programs of the error tests, and random functions."""
    texts = [path.read_text() for path in sorted(KERNELS.glob("*.c"))]
    texts += [path.read_text() for path in sorted((Path(__file__).parent / "errors").glob("*.c"))]
    texts += [test_jumps.LOOPS, test_jumps.SWITCHES, test_structs.MEMBERS, test_structs.VALUES]
    texts += [test_values.BITS, test_values.POINTERS, test_values.TABLES]
    generator = Generator(7)
    return texts + [PRELUDE + generator.function("f") for _ in range(10)]


def attempt(text: str) -> None:
    """Accepted or refused, in either case properly."""
    try:
        module = parse_c(KERNELS / "broken.c", text=text)
    except Refused as refusal:
        assert refusal.diagnostics
        for finding in refusal.diagnostics:
            assert finding.severity == "error" and finding.code in CODES
            assert finding.span is not None or not text.strip(), finding
            assert render(finding, refusal.sources)
        return
    for _, finding in module.passed_over:
        assert finding.code in CODES and render(finding, module.sources)
    for function in module.functions:
        verify(function.function)


def broken(rng: random.Random, text: str) -> str:
    """The text cut off, or with some tokens deleted, doubled, exchanged or inserted."""
    if rng.random() < 0.3:
        return text[: rng.randrange(len(text))]
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        place = rng.randrange(len(tokens))
        match rng.randrange(5):
            case 0:
                del tokens[place]
            case 1:
                tokens.insert(place, tokens[place])
            case 2:
                tokens[place] = rng.choice(SPARE)
            case 3:
                tokens.insert(place, f" {rng.choice(SPARE)} ")
            case _:
                other = rng.randrange(len(tokens))
                tokens[place], tokens[other] = tokens[other], tokens[place]
        if not tokens:
            break
    return "".join(tokens)


def fuzz(seed: int, count: int) -> None:
    rng = random.Random(seed)
    texts = programs()
    for _ in range(count):
        text = broken(rng, rng.choice(texts))
        try:
            attempt(text)
        except Exception:
            print(text)
            raise


def test_broken_programs() -> None:
    fuzz(0, 250)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
def test_many_broken_programs(seed: int) -> None:
    fuzz(seed, 1000)


@pytest.mark.parametrize(
    "text", ["", "\n", " ", "#", "\\", '"', "'", "/*", "//", "\x00", "\ufeff", "#define", "#include", "#if", "\r\n", ";", "a"]
)
def test_tiny_programs(text: str) -> None:
    try:
        parse_c("tiny.c", text=text)
    except Refused as refusal:
        assert render(refusal.diagnostics[0], refusal.sources)


def test_every_prefix_of_a_kernel() -> None:
    text = (KERNELS / "jacobi5.c").read_text()
    for end in range(0, len(text), 7):
        attempt(text[:end])
