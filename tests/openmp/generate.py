"""Random functions with random constructs and clauses of OpenMP, which give the same whatever threads and lanes do.

Every variable that a construct has of its own is written in an iteration before it is read there. What iterations share they
touch in elements of their own, in commutative atomic updates, or in ordered regions.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

PRELUDE = """#define N 64
typedef struct { int low, high; } pair;
static void put(int *a, int v) { *a = v; }
static int masked(int v)
{
    int t[2];
#pragma omp simd private(t)
    for (int q = 0; q < 2; q++) t[0] = v & 255, t[1] = v >> 8;
    return v & 255;
}
static void count(int *h, int k, int v)
{
#pragma omp atomic
    h[k] += v;
}
"""
CONSTRUCTS = (
    "simd", "parallel for", "parallel for simd", "parallel+for", "parallel+for simd", "parallel for schedule(static, 4)",
    "parallel for schedule(dynamic)", "parallel for num_threads(1)", "parallel for if(n > 20)", "simd if(n > 20)",
    "parallel for order(concurrent)", "teams distribute parallel for", "parallel for collapse(2)", "simd collapse(2)",
    "simd safelen(8)", "parallel+for schedule(static)", "parallel+loop", "taskloop", "taskloop simd", "target parallel for",
)  # fmt: skip


@dataclass
class _Variable:
    """`kind`: number, addressed (a number whose address is taken), array or pair; `sharing`: the clause."""

    name: str
    kind: str
    sharing: str
    size: int = 1


@dataclass
class _Writer:
    choose: random.Random
    lines: list[str] = field(default_factory=list)

    def function(self, name: str) -> str:
        r = self.choose
        construct = r.choice(CONSTRUCTS)
        collapsed = "collapse" in construct
        sharings = ["private", "private", "lastprivate"]
        if not construct.startswith(("simd", "parallel+loop", "taskloop simd")):
            sharings.append("firstprivate")
        if "+loop" in construct:
            sharings = ["private"]
        variables = []
        for k in range(r.randrange(1, 5)):
            kind, sharing = r.choice(("number", "addressed", "array", "pair")), r.choice(sharings)
            variables.append(_Variable(f"v{k}", kind, sharing, r.choice((1, 2, 3, 4, 5))))
        linear = construct.startswith("simd") and not collapsed and r.random() < 0.5
        reduction = r.choice((None, "+", "^", "max", "&")) if "target" not in construct else None
        ordering = r.random()
        self.lines = [f"void {name}(int n, const int x[restrict N], int o[restrict N])", "{"]
        for v in variables:
            self.lines.append(f"    {self._declared(v)}")
        self.lines.append(f"    int sum = {r.randrange(9)}, lin = {r.randrange(5)};")
        clauses = [self._clause(v) for v in variables]
        on_region = "parallel+" in construct and r.random() < 0.5
        region = [c for c, v in zip(clauses, variables, strict=True) if on_region and v.sharing in ("private", "firstprivate")]
        own = [c for c in clauses if c not in region]
        if linear:
            own.append("linear(lin : 2)")
        if reduction:
            own.append(f"reduction({reduction} : sum)")
        r.shuffle(own)
        ordered = ordering < 0.1 and construct in ("parallel for", "parallel+for", "parallel for schedule(static, 4)")
        if ordered:
            own.append("ordered")
        if "+" in construct:
            outer, inner = construct.split("+")
            self.lines += [f"#pragma omp {outer} {' '.join(region)}", "    {"]
            construct = inner
        if construct.startswith("taskloop"):
            self.lines += ["#pragma omp parallel", "#pragma omp single"]
        maps = " map(tofrom : o[0 : 64]) map(to : x[0 : 64])" if "target" in construct else ""
        self.lines.append(f"#pragma omp {construct} {' '.join(own)}{maps}")
        index = "i"
        if collapsed:
            self.lines += ["    for (int j = 0; j < 4; j++)", "        for (int l = 0; l < n / 4; l++) {"]
            self.lines.append("        int i = j + 4 * l;")
        else:
            self.lines.append("    for (int i = 0; i < n; i++) {")
        for v in variables:
            self._write(v)
        if linear:
            self.lines.append("        lin += 2;")
        terms = [self._read(v) for v in variables] + (["lin"] if linear else [])
        self.lines.append(f"        o[({index} * 5) & 63] = {' + '.join(terms)};")
        if reduction:
            update = {"max": "sum = x[i] > sum ? x[i] : sum;"}.get(reduction, f"sum {reduction}= x[i] & 4095;")
            self.lines.append(f"        {update}")
        if ordered:
            self.lines += ["#pragma omp ordered", "        o[63] = o[63] * 3 + x[i];"]
        elif ordering > 0.85 and "order(" not in construct and construct != "loop" and "collapse" not in construct:
            self.lines += self._atomic(construct)
        self.lines.append("    }")
        if "+" in construct or self.lines.count("    {"):
            self.lines.append("    }")
        behind = [self._after(v) for v in variables if v.sharing in ("lastprivate", "firstprivate")]
        self.lines.append(f"    if (n > 3) o[1] += sum + lin{''.join(f' + {term}' for term in behind)};")
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def _declared(self, v: _Variable) -> str:
        match v.kind:
            case "array":
                return f"int {v.name}[{v.size}] = {{{', '.join(str(self.choose.randrange(9)) for _ in range(v.size))}}};"
            case "pair":
                return f"pair {v.name} = {{3, 4}};"
            case _:
                return f"int {v.name} = {self.choose.randrange(9)};"

    def _clause(self, v: _Variable) -> str:
        return f"{v.sharing}({v.name})"

    def _value(self) -> str:
        r = self.choose
        return r.choice(("x[i]", "i", "x[i] * 3", "x[63 - i]", "(x[i] ^ i)", "masked(x[i])", "(x[i] & 15)"))

    def _write(self, v: _Variable) -> None:
        if v.sharing == "firstprivate":
            return
        r = self.choose
        match v.kind:
            case "array" if r.random() < 0.5:
                self.lines.append(f"        for (int k = 0; k < {v.size}; k++) {v.name}[k] = {self._value()} >> k;")
            case "array":
                self.lines += [f"        {v.name}[{k}] = {self._value()};" for k in range(v.size)]
            case "pair":
                self.lines.append(f"        {v.name}.low = {self._value()}; {v.name}.high = {self._value()};")
            case "addressed":
                self.lines.append(f"        put(&{v.name}, {self._value()});")
            case _:
                self.lines.append(f"        {v.name} = {self._value()};")
        if r.random() < 0.3:
            place = {"array": f"{v.name}[(unsigned)x[i] % {v.size}]", "pair": f"{v.name}.high"}.get(v.kind, v.name)
            self.lines.append(f"        if (x[i] & {r.choice((1, 2, 4))}) {place} = {self._value()};")

    def _read(self, v: _Variable) -> str:
        match v.kind:
            case "array":
                return f"{v.name}[(unsigned)x[i] % {v.size}] * {self.choose.randrange(1, 5)}"
            case "pair":
                return f"({v.name}.low ^ {v.name}.high)"
            case _:
                return v.name

    def _after(self, v: _Variable) -> str:
        match v.kind:
            case "array":
                return f"{v.name}[{self.choose.randrange(v.size)}]"
            case "pair":
                return f"{v.name}.low + {v.name}.high"
            case _:
                return v.name

    def _atomic(self, construct: str) -> list[str]:
        if self.choose.random() < 0.5 and "simd" not in construct:
            return ["#pragma omp critical", "        o[63] += x[i] & 7;"]
        return ["        count(o, 63, x[i] & 7);"]


def random_function(seed: int, name: str) -> str:
    """A function as in `rows.c`."""
    return _Writer(random.Random(seed)).function(name)
