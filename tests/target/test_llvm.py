import ctypes
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rv.internal_error import InternalError
from rv.target.link import NoLinker, find_linker, shared_library
from rv.target.llvm import CompiledModule, Pipeline, jit
from rv.target.machine import resolve_target, runs_here

TARGETS = ["native", "avx512", "avx2", "neon"]
ADD = """
define void @add(ptr noalias %a, ptr noalias %b) {
  %x = load <8 x double>, ptr %a, align 8
  %y = fadd <8 x double> %x, <double 1.0, double 2.0, double 3.0, double 4.0, double 5.0, double 6.0, double 7.0, double 8.0>
  store <8 x double> %y, ptr %b, align 8
  ret void
}
"""
SCALE = """
define double @scale(double %x) {
  %y = fmul double %x, 3.0
  %z = call double @exp(double %y)
  ret double %z
}
declare double @exp(double)
"""
LOOP = """
define void @loop(i64 %n, ptr noalias %a, ptr noalias %b) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %p = getelementptr double, ptr %a, i64 %i
  %q = getelementptr double, ptr %b, i64 %i
  %x = load double, ptr %p, align 8
  %y = fadd double %x, %x
  store double %y, ptr %q, align 8
  %next = add i64 %i, 1
  br label %head
end:
  ret void
}
"""


@pytest.mark.parametrize("name", TARGETS)
def test_object_holds_the_symbol(name, tmp_path):
    path = tmp_path / "add.o"
    path.write_bytes(CompiledModule(ADD, resolve_target(name)).object)
    symbols = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
    assert " T add" in symbols


@pytest.mark.parametrize(("name", "register"), [("avx512", "%zmm"), ("avx2", "%ymm"), ("neon", ".2d")])
def test_register_class(name, register):
    assert register in CompiledModule(ADD, resolve_target(name)).assembly


@pytest.mark.parametrize("name", TARGETS)
def test_same_text_same_bytes_in_any_order(name):
    target = resolve_target(name)
    first, second = CompiledModule(ADD, target), CompiledModule(ADD, target)
    forms = (first.object, first.assembly, first.ir)
    assert (second.ir, second.assembly, second.object) == forms[::-1]


def test_vectorizer_is_off_unless_asked_for():
    target = resolve_target("avx2")
    assert "x double>" not in CompiledModule(LOOP, target).ir
    assert "x double>" in CompiledModule(LOOP, target, Pipeline(loop_vectorize=True)).ir


def test_jit_runs_and_finds_libm():
    module = jit(SCALE, resolve_target("native"))
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(module.address("scale"))
    assert function(0.0) == 1.0
    with pytest.raises(KeyError):
        module.address("exp")


def test_jit_of_vector_constants():
    module = jit(ADD, resolve_target("native"))
    a, b = (ctypes.c_double * 8)(*range(8)), (ctypes.c_double * 8)()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(module.address("add"))(a, b)
    assert list(b) == [2.0 * i + 1 for i in range(8)]


def test_jit_for_another_machine_is_refused():
    target = resolve_target("neon")
    if runs_here(target) is None:
        pytest.skip("this machine is an AArch64")
    with pytest.raises(RuntimeError, match="does not run here"):
        jit(ADD, target)


def test_llvm_errors_are_ours():
    with pytest.raises(InternalError, match="report"):
        CompiledModule("define void @f() { ret i32 }", resolve_target("native"))


def test_threads():
    results = []
    target = resolve_target("avx512")
    threads = [threading.Thread(target=lambda: results.append(CompiledModule(ADD, target).object)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert len(set(results)) == 1


def test_shared_library(tmp_path):
    target = resolve_target("native")
    path = tmp_path / "scale.so"
    code = CompiledModule(SCALE, target).object
    library = shared_library(code, target)
    assert library == shared_library(code, target)
    path.write_bytes(library)
    function = ctypes.CDLL(str(path)).scale
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    assert function(0.0) == 1.0


def test_no_linker(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoLinker, match="no C compiler"):
        find_linker(resolve_target("native"))


def test_neon_object_under_emulation(tmp_path, aarch64):
    main = tmp_path / "main.c"
    main.write_text("""
        #include <stdio.h>
        void add(const double *a, double *b);
        int main(void) {
            double a[8] = {0, 1, 2, 3, 4, 5, 6, 7}, b[8];
            add(a, b);
            for (int i = 0; i < 8; ++i) printf("%g ", b[i]);
            return 0;
        }""")
    kernel = tmp_path / "add.o"
    kernel.write_bytes(CompiledModule(ADD, resolve_target("neon")).object)
    assert aarch64(Path(main), kernel) == "1 3 5 7 9 11 13 15 "


FRESH = '''
from rv.target.llvm import CompiledModule, missing_symbols
from rv.target.machine import resolve_target
text = """
declare double @exp(double)
declare void @nowhere()
define double @f(double %x) {
  %y = call double @exp(double %x)
  call void @nowhere()
  ret double %y
}
"""
print(missing_symbols(CompiledModule(text, resolve_target("native")).image))
'''


def test_a_process_that_has_loaded_no_code_knows_its_own_functions():
    found = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    assert found.stdout == "('nowhere',)\n"
