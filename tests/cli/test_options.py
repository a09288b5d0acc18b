from pathlib import Path

import pytest

from tensorrv.cli.options import UsageError, parse_options
from tensorrv.schedule.plan import Brush


def test_defaults():
    options = parse_options(["k.c"])
    assert (options.kernel, options.brush, options.emit, options.directory) == ("k.c", None, ("so",), Path("."))
    assert options.target.name == "native"
    assert options.plan.fp == "strict"


def test_everything():
    options = parse_options(
        "k.c --function f --function g --brush j=4,i=8 --projection 1,0 --target neon --emit obj,asm -o out --fp fast --tail peel"
        " --assume-no-alias --assume-parallel i --verify --bench --size n=4,m=5 --size n=8 --explain --time-stages"
        " --print-after prepare -D N=4 -DM -I inc --json".split()
    )
    assert options.functions == ("f", "g")
    assert options.brush == Brush((4, 8), ("j", "i")) == options.plan.brush
    assert options.plan.projection == (1, 0)
    assert options.sizes == ({"n": 4, "m": 5}, {"n": 8})
    assert options.emit == ("obj", "asm")
    assert options.defines == (("N", "4"), ("M", "1"))
    assert options.plan.assume_parallel == ("i",)


def test_reports_alone_write_nothing():
    assert parse_options(["k.c", "--verify"]).emit == ()
    assert parse_options(["k.c", "--verify", "--emit", "so"]).emit == ("so",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: KERNEL"),
        (["k.c", "--brush", "4y8"], "'4y8' is not a brush"),
        (["k.c", "--brush", "4x8", "--projection", "0,0"], "projection '0,0' does not fit brush '4x8'"),
        (["k.c", "--projection", "1,0"], "--projection needs a definite brush"),
        (["k.c", "--target", "avx51"], "unknown target 'avx51'"),
        (["k.c", "--emit", "exe"], "'exe' is not a form of output"),
        (["k.c", "--size", "rows"], "'rows' is not a size"),
        (["k.c", "--size", "n=1,n=2"], "the size of 'n' is given twice"),
        (["k.c", "--fp", "quick"], "argument --fp: invalid choice: 'quick'"),
        (["k.c", "--bru", "4x8"], "unrecognized arguments"),
        (["k.c", "l.c"], "unrecognized arguments: l.c"),
    ],
)
def test_usage_errors(arguments, message):
    with pytest.raises(UsageError) as caught:
        parse_options(arguments)
    assert message in caught.value.diagnostic.message
    assert caught.value.diagnostic.severity == "error"
