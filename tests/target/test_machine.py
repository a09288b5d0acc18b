import pytest

from rv.ir.types import F32, F64, I8
from rv.target.host import host
from rv.target.machine import UnknownTarget, resolve_target, runs_here


def test_named_targets():
    avx512, avx2, neon = (resolve_target(name) for name in ("avx512", "avx2", "neon"))
    assert [t.register_bits for t in (avx512, avx2, neon)] == [512, 256, 128]
    assert [t.registers for t in (avx512, avx2, neon)] == [32, 16, 32]
    assert [t.cheap_masks for t in (avx512, avx2, neon)] == [True, False, False]
    assert [t.architecture for t in (avx512, avx2, neon)] == ["x86_64", "x86_64", "aarch64"]
    assert [t.lanes(e) for t in (avx512, neon) for e in (F64, F32, I8)] == [8, 16, 64, 2, 4, 16]


def test_processor_names():
    assert resolve_target("znver4").register_bits == 512
    assert resolve_target("haswell").register_bits == 256
    sandybridge = resolve_target("sandybridge")
    assert (sandybridge.register_bits, sandybridge.fma) == (256, False)
    assert resolve_target("nehalem").register_bits == 128
    assert resolve_target("cortex-a72").architecture == "aarch64"


@pytest.mark.parametrize("name", ["nonsense", "", "generic", "i386", "AVX512"])
def test_unknown_target(name):
    with pytest.raises(UnknownTarget):
        resolve_target(name)


def test_unknown_target_names_close_ones():
    with pytest.raises(UnknownTarget) as caught:
        resolve_target("avx51")
    assert "avx512" in caught.value.close


def test_native_is_this_machine():
    native = resolve_target("native")
    assert native.cpu == host().cpu
    assert runs_here(native) is None
    assert native == resolve_target("native")


def test_other_architecture_does_not_run_here():
    other = "neon" if host().triple.startswith("x86_64") else "avx2"
    assert "this machine is" in (runs_here(resolve_target(other)) or "")
