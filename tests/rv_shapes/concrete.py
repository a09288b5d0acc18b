"""What shapes mean: the vectors of a shape for few lanes and narrow words, and the words that operations give."""

from functools import cache
from itertools import product

from rv.analysis.strides.readings import Facts
from rv.analysis.strides.shape_lattice import shape

LANES = 4
KNOWN = (
    Facts.NONE,
    Facts.NONNEGATIVE,
    Facts.SIGNED,
    Facts.UNSIGNED,
    Facts.SIGNED | Facts.UNSIGNED,
    Facts.NATURAL,
)


@cache
def all_shapes(bits):
    """Every shape of words of `bits` bits that has a vector."""
    size = 1 << bits
    found = {}
    for facts, stride, alignment in product(KNOWN, (None, *range(1 - size, size)), range(size)):
        made = shape(bits, stride, alignment, facts)
        if vectors(made):
            found[made] = None
    return tuple(found)


def signed(word, bits):
    return word - (1 << bits) if word >> (bits - 1) else word


@cache
def vectors(of):
    """The vectors of a strided shape; for a varying one the words that each lane may have for itself."""
    if of.stride is None:
        return frozenset(word for word in range(1 << of.bits) if _is_multiple(word, of))
    size, found = 1 << of.bits, set()
    for first in range(-size, size):
        if (of.alignment == 0 and first) or (of.alignment and first % of.alignment):
            continue
        line = [first + of.stride * t for t in range(LANES)]
        vector = tuple(x % size for x in line)
        if _holds(vector, of):
            found.add(vector)
    return frozenset(found)


def _is_multiple(word, of):
    readings = []
    if Facts.SIGNED in of.facts:
        readings.append(signed(word, of.bits))
    if Facts.UNSIGNED in of.facts or not readings:
        readings.append(word)
    multiple = all(x == 0 if of.alignment == 0 else x % of.alignment == 0 for x in readings)
    return multiple and (Facts.NONNEGATIVE not in of.facts or not word >> (of.bits - 1))


def _holds(vector, of):
    """Whether the facts are true of a vector that follows the formula modulo 2**bits."""
    if Facts.NONNEGATIVE in of.facts and any(word >> (of.bits - 1) for word in vector):
        return False
    readings = []
    if Facts.SIGNED in of.facts:
        readings.append([signed(word, of.bits) for word in vector])
    if Facts.UNSIGNED in of.facts:
        readings.append(list(vector))
    return all(
        (line[0] == 0 if of.alignment == 0 else line[0] % of.alignment == 0)
        and all(x - line[0] == of.stride * t for t, x in enumerate(line))
        for line in readings
    )


def _trunc_div(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def evaluate(op, left, right, bits, nsw):
    """The word that an operation gives, or None where it is undefined."""
    size, a, b = 1 << bits, signed(left, bits), signed(right, bits)
    low, high = -(size >> 1), size >> 1
    match op:
        case "add" | "sub" | "mul":
            exact = {"add": a + b, "sub": a - b, "mul": a * b}[op]
            return None if nsw and not low <= exact < high else exact % size
        case "shl" | "lshr" | "ashr" if right >= bits:
            return None
        case "shl":
            exact = a << right
            return None if nsw and not low <= exact < high else exact % size
        case "lshr":
            return left >> right
        case "ashr":
            return (a >> right) % size
        case "and":
            return left & right
        case "or":
            return left | right
        case "xor":
            return left ^ right
        case "sadd_sat" | "ssub_sat":
            return min(max(a + b if op == "sadd_sat" else a - b, low), high - 1) % size
        case _ if right == 0:
            return None
        case "udiv":
            return left // right
        case "urem":
            return left % right
        case "sdiv":
            return None if a == low and b == -1 else _trunc_div(a, b) % size
        case "srem":
            return None if a == low and b == -1 else (a - b * _trunc_div(a, b)) % size
    raise AssertionError(op)


def compare(predicate, left, right, bits):
    if predicate[0] == "s":
        left, right = signed(left, bits), signed(right, bits)
    match predicate[1:] if predicate not in ("eq", "ne") else predicate:
        case "eq":
            return int(left == right)
        case "ne":
            return int(left != right)
        case "lt":
            return int(left < right)
        case "le":
            return int(left <= right)
        case "gt":
            return int(left > right)
        case "ge":
            return int(left >= right)
    raise AssertionError(predicate)


def contains(of, vector):
    """Whether a vector of words is one of the shape's."""
    if of.stride is None:
        return all(word in vectors(of) for word in vector)
    if of.bits == 1:
        return len(set(vector)) == 1
    return vector in vectors(of)


def lanes_of(of):
    """The vectors of a shape one by one; for a varying shape a vector of sets, to be chosen from lane by lane."""
    if of.stride is None:
        words = sorted(vectors(of))
        return [(words,) * LANES]
    return [tuple([word] for word in vector) for vector in sorted(vectors(of))]


def counterexample(result, operation, left, right):
    """Operand words, lane by lane, whose results are not a vector of `result`; None when there are none."""
    for xs, ys in product(lanes_of(left), lanes_of(right)):
        images = []
        for x, y in zip(xs, ys, strict=True):
            images.append({w for w in (operation(a, b) for a in x for b in y) if w is not None})
        if not all(images):
            continue
        if result.stride is None:
            if not all(contains(result, (w,) * LANES) for image in images for w in image):
                return xs, ys
        elif any(not contains(result, vector) for vector in _choices(images, result)):
            return xs, ys
    return None


def _choices(images, result):
    """Vectors made of the images; where lanes are free, those that differ from a fixed one in one lane suffice."""
    first = tuple(min(image) for image in images)
    yield first
    for lane, image in enumerate(images):
        for word in image:
            yield (*first[:lane], word, *first[lane + 1 :])
