"""The table of processors against LLVM itself, in processes of their own: LLVM ends the process for some names."""

import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from rv.emit.llvm import processor
from rv.target import cpus
from rv.target.description import machine_of
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import parse_plan

LIST = """
import sys, llvmlite.binding as binding
binding.initialize_all_targets()
binding.Target.from_triple(sys.argv[1]).create_target_machine(cpu="help", features="")
"""
PROBE = """
import sys, llvmlite.binding as binding
binding.initialize_all_targets()
binding.initialize_all_asmprinters()
target = binding.Target.from_triple(sys.argv[1])
machine = target.create_target_machine(cpu=sys.argv[2], features="", opt=3, reloc="pic", codemodel="default")
print(machine.emit_assembly(binding.parse_assembly('''
define void @add(ptr %a, ptr %b) {
  %x = load <8 x double>, ptr %a
  %y = fadd <8 x double> %x, %x
  store <8 x double> %y, ptr %b
  ret void
}
declare double @llvm.fma.f64(double, double, double)
define double @multiply_add(double %a, double %b) {
  %r = call double @llvm.fma.f64(double %a, double %b, double %b)
  ret double %r
}
''')))
"""


DOTS = """
import sys, llvmlite.binding as binding
binding.initialize_all_targets()
binding.initialize_all_asmprinters()
code = '''
define i32 @mixed(<64 x i8> %a, <64 x i8> %b) {
  %x = zext <64 x i8> %a to <64 x i32>
  %y = sext <64 x i8> %b to <64 x i32>
  %m = mul <64 x i32> %x, %y
  %r = call i32 @llvm.vector.reduce.add.v64i32(<64 x i32> %m)
  ret i32 %r
}
define <4 x i32> @alike(<4 x i32> %s, <16 x i8> %a, <16 x i8> %b) {
  %x = zext <16 x i8> %a to <16 x i32>
  %y = EXTENDED <16 x i8> %b to <16 x i32>
  %m = mul <16 x i32> %x, %y
  %r = call <4 x i32> @llvm.vector.partial.reduce.add.v4i32.v16i32(<4 x i32> %s, <16 x i32> %m)
  ret <4 x i32> %r
}
declare i32 @llvm.vector.reduce.add.v64i32(<64 x i32>)
declare <4 x i32> @llvm.vector.partial.reduce.add.v4i32.v16i32(<4 x i32>, <16 x i32>)
'''
for cpu in sys.argv[2:]:
    machine = binding.Target.from_triple(sys.argv[1]).create_target_machine(cpu=cpu, features="", opt=2)
    text = "".join(machine.emit_assembly(binding.parse_assembly(code.replace("EXTENDED", op))) for op in ("sext", "zext"))
    print(cpu, *(name for name in ("vpdpbusd", "usdot", "udot") if f"\\t{name}\\t" in text))
"""


KERNELS = """
import sys
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import parse_plan
functions = parse_c("k.c", text='''
#include <math.h>
void roots(int n, const float a[restrict n], float b[restrict n])
{ for (int i = 0; i < n; i++) if (a[i] > 0) b[i] = 1 / sqrtf(a[i]); }
void precise_roots(int n, const double a[restrict n], double b[restrict n])
{ for (int i = 0; i < n; i++) b[i] = 1 / sqrt(a[i]) + b[i] / a[i]; }
void exponentials(int n, const double a[restrict n], double b[restrict n])
{ for (int i = 0; i < n; i++) b[i] = exp(a[i]) * log(b[i]); }
void bytes(int n, const unsigned char a[restrict n], unsigned char b[restrict n])
{ for (int i = 0; i < n; i++) if (a[i] > 3) b[i] = (a[i] + b[i] + 1) >> 1; }
''').functions
for cpu in sys.argv[2:]:
    for function in functions:
        for lanes in sys.argv[1].split():
            print(cpu, function.name, lanes, flush=True)
            plan = parse_plan(f"brush={lanes} fp=fast math=vector")
            compile_function(function, plan, resolve_target(cpu)).module.object
"""


SHIPPED = """
import sys
from rv.emit.llvm import processor
from rv.target.llvm import CompiledModule
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel, shipped_kernels
from tensorrv.pipeline.kernel import compile_function
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import parse_plan
first, *others = map(resolve_target, sys.argv[2:])
for name in sys.argv[1].split() or shipped_kernels():
    for function in parse_c(find_kernel(name)).functions:
        for fp in ("strict", "fast"):
            print(first.cpu, function.name, fp, flush=True)
            try:
                kernel = compile_function(function, parse_plan(f"brush=8 fp={fp}"), first)
            except Refused:
                continue
            assert not kernel.versions
            kernel.module.object
            llvm, own = kernel.tensorized.llvm, processor(first)
            assert own in llvm
            for target in others:
                print(target.cpu, function.name, fp, flush=True)
                module = llvm.replace(own, processor(target))
                CompiledModule(module, target, kernel.module.pipeline, kernel.tensorized.instructions).object
"""


def run(script, *arguments):
    return subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("triple", "table"), [("x86_64-linux-gnu", cpus.X86), ("aarch64-linux-gnu", cpus.AARCH64)])
def test_every_name_is_known_to_llvm(triple, table):
    lines = run(LIST, triple).stderr.partition("Available features")[0].splitlines()
    known = {line.split()[0] for line in lines if " - Select" in line}
    assert table <= known


def width_and_fma(triple, cpu):
    result = run(PROBE, triple, cpu)
    assert result.returncode == 0, result.stderr
    text = result.stdout
    return (512 if "zmm" in text else 256 if "ymm" in text else 128), ("vfmadd" in text or "fmadd\t" in text)


@pytest.mark.parametrize("cpu", ["znver4", "skylake-avx512", "haswell", "bdver2", "sandybridge", "nehalem", "neoverse-v1"])
def test_table_says_what_llvm_does(cpu):
    target = resolve_target(cpu)
    assert width_and_fma(target.triple, cpu) == (target.register_bits, target.fma)


@pytest.mark.long
def test_table_says_what_llvm_does_for_all():
    targets = [resolve_target(cpu) for cpu in sorted(cpus.X86 | cpus.AARCH64)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda t: width_and_fma(t.triple, t.cpu), targets))
    assert found == [(t.register_bits, t.fma) for t in targets]


@pytest.mark.parametrize(("triple", "table"), [("x86_64-linux-gnu", cpus.X86), ("aarch64-linux-gnu", cpus.AARCH64)])
def test_products_that_are_added_at_once(triple, table):
    """LLVM itself finds those of bytes without a sign in one factor; on x86-64 not those without signs."""
    result = run(DOTS, triple, *sorted(table))
    assert result.returncode == 0, result.stderr
    signs = {"vpdpbusd": (False, True), "usdot": (False, True), "udot": (False, False)}
    sought = {(8, (False, True))} if table is cpus.X86 else {(8, (False, True)), (8, (False, False))}
    found = {cpu: {(8, signs[name]) for name in names} for cpu, *names in map(str.split, result.stdout.splitlines())}
    assert found == {cpu: cpus.dots_of(cpu) & sought for cpu in table}


def test_roots_and_divisions_with_whole_registers_only():
    result = run(KERNELS, "8", "knl")
    assert result.returncode == 0, f"{result.stdout[-100:]} {result.stderr[:2000]}"


@pytest.mark.long
@pytest.mark.parametrize("group", range(8))
def test_roots_and_divisions_on_all(group):
    result = run(KERNELS, "4 8 16", *sorted(cpus.X86 | cpus.AARCH64)[group::8])
    assert result.returncode == 0, f"{result.stdout[-100:]} {result.stderr[:2000]}"


def alike():
    """The processors for which the same LLVM IR is emitted: those with the same registers and features, and one description."""
    found = defaultdict(list)
    for cpu in sorted(cpus.X86 | cpus.AARCH64):
        target = resolve_target(cpu)
        found[replace(target, name="", cpu=""), machine_of(target).name].append(cpu)
    return list(found.values())


@pytest.mark.parametrize("names", ["knl knm", "nehalem core2", "sandybridge ivybridge", "cortex-a53 cortex-a57"])
def test_shipped_kernels_on_some(names):
    assert any(set(names.split()) <= set(group) for group in alike())
    result = run(SHIPPED, "limiter transpose_f32", *names.split())
    assert result.returncode == 0, f"{result.stdout[-100:]} {result.stderr[:2000]}"


def test_the_same_code_is_emitted_for_processors_that_are_alike():
    function = next(function for function in parse_c(find_kernel("limiter")).functions)
    for first, *_, last in (group for group in alike() if len(group) > 1):
        one, other = (compile_function(function, parse_plan("brush=8"), resolve_target(cpu)) for cpu in (first, last))
        attributes = [processor(resolve_target(cpu)) for cpu in (first, last)]
        assert one.tensorized.llvm.replace(attributes[0], attributes[1]) == other.tensorized.llvm


@pytest.mark.long
@pytest.mark.parametrize("group", alike(), ids=lambda group: group[0])
def test_shipped_kernels_on_all(group):
    result = run(SHIPPED, "", *group)
    assert result.returncode == 0, f"{result.stdout[-100:]} {result.stderr[:2000]}"
