import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorrv.schedule.plan import (
    FLOAT_MODES,
    MATH_MODES,
    SKIP_POLICIES,
    SPLIT_POLICIES,
    STORE_POLICIES,
    TAIL_POLICIES,
    UNROLL_POLICIES,
    Brush,
    Plan,
    PlanError,
    Skew,
    Tile,
    parse_brush,
    parse_order,
    parse_plan,
    parse_skew,
    parse_tile,
)


@pytest.mark.parametrize("text", ["4x8", "8", "1x1x3", "j=4,i=8", "none", "7x3"])
def test_brush_round_trip(text):
    assert str(parse_brush(text)) == text


def test_brush_parts():
    assert parse_brush("j=4,i=8") == Brush((4, 8), ("j", "i"))
    assert parse_brush("auto") is None
    assert parse_brush("none") == Brush()


@pytest.mark.parametrize(
    "text",
    ["", "x", "4x", "4xx8", "-4x8", "j=4,8", "j=,i=4", "=4", "4x8 ", "0x8", "j=4,j=8", "4X8", "65x64", "1" * 9, "4.0", "२"],
)
def test_bad_brush(text):
    with pytest.raises(PlanError):
        parse_brush(text)


@pytest.mark.parametrize(
    "text",
    ["brush", "brush=4x8 brush=4x8", "colour=3", "brush=auto", "brush=4x8 projection=0", "brush=4x8 projection=1,1",
     "brush=4x8 fp=quick", "math=fast", "brush=4x8 tail=", "register_bits=64", "assume_no_alias=maybe",
     "prefetch=-1", "prefetch=65", "prefetch=", "stores=warm"],
)  # fmt: skip
def test_bad_plan(text):
    with pytest.raises(PlanError):
        parse_plan(text)


@pytest.mark.parametrize("text", ["64x512", "j=64,i=512", "32", "none", "1x8"])
def test_tile_round_trip(text):
    assert str(parse_tile(text)) == text


@pytest.mark.parametrize("text", ["", "auto", "0x8", "j=64,8", "j=4,j=8", "8x", "1" * 7])
def test_bad_tile(text):
    with pytest.raises(PlanError):
        parse_tile(text)


@pytest.mark.parametrize("text", ["k,", "k,1", "k i", "k;i"])
def test_bad_order(text):
    with pytest.raises(PlanError):
        parse_order(text)


@pytest.mark.parametrize("text", ["i+j", "i+2*j", "i+j+3*k,l+t"])
def test_skew_round_trip(text):
    assert ",".join(map(str, parse_skew(text))) == text
    assert parse_plan(f"brush=none skew={text}").skew == parse_skew(text)


@pytest.mark.parametrize("text", ["i", "i+", "i+i", "i+0*j", "i+j*2", "2*i+j", "i+1001*j", "i+-1*j", "i+j,i+k", "i-j"])
def test_bad_skew(text):
    with pytest.raises(PlanError):
        Plan(skew=parse_skew(text))


def test_an_order_names_a_loop_once():
    with pytest.raises(PlanError):
        Plan(order=("k", "k"))


names = st.from_regex(r"[a-z_][a-z0-9_]{0,3}", fullmatch=True)


@st.composite
def plans(draw):
    sizes = tuple(draw(st.lists(st.integers(1, 8), max_size=4)))
    loops = tuple(draw(st.lists(names, min_size=len(sizes), max_size=len(sizes), unique=True))) if draw(st.booleans()) else ()
    return Plan(
        brush=Brush(sizes, loops),
        projection=tuple(draw(st.permutations(range(len(sizes))))) if sizes and draw(st.booleans()) else None,
        fp=draw(st.sampled_from(FLOAT_MODES)),
        math=draw(st.sampled_from(MATH_MODES)),
        tail=draw(st.sampled_from(TAIL_POLICIES)),
        boscc=draw(st.sampled_from(SKIP_POLICIES)),
        stores=draw(st.sampled_from(STORE_POLICIES)),
        prefetch=draw(st.integers(0, 64)),
        register_bits=draw(st.sampled_from([0, 128, 256, 512])),
        assume_no_alias=draw(st.booleans()),
        assume_parallel=tuple(draw(st.lists(names, max_size=2))),
        order=tuple(draw(st.lists(names, max_size=2, unique=True))),
        tile=Tile(tuple(range(3, 3 + len(sizes))), loops),
        fuse=draw(st.booleans()),
        split=draw(st.sampled_from(SPLIT_POLICIES)),
        skew=(Skew("i", (("j", draw(st.integers(1, 9))), ("k", 1))),) if draw(st.booleans()) else (),
        unroll=draw(st.sampled_from(UNROLL_POLICIES)),
    )


@given(plans())
def test_plan_round_trip(plan):
    assert parse_plan(str(plan)) == plan
    assert hash(parse_plan(str(plan))) == hash(plan)
