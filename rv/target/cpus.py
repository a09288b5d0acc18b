"""The processors of LLVM that code can be generated for, by what their vector units can do.

LLVM takes an unknown name for the generic processor and only prints a warning, and it ends the process when code is requested for
64-bit code for a 32-bit processor; so the names are listed here. The sets were found by compiling an addition of eight
doubles and a fused multiply-add for every name that LLVM 22.1 lists; `tests/target/test_cpus.py` repeats that.
Left out: `generic` (two meanings), `ampere1b` and `oryon-1` (LLVM 22.1 fails on them).
"""

from __future__ import annotations

from typing import Final

X86_AVX512: Final = frozenset("""
    cannonlake cascadelake cooperlake diamondrapids emeraldrapids graniterapids graniterapids-d graniterapids_d icelake-client
    icelake-server icelake_client icelake_server knl knm mic_avx512 novalake rocketlake sapphirerapids skx skylake-avx512
    skylake_avx512 tigerlake x86-64-v4 znver4 znver5
""".split())

X86_AVX512F: Final = frozenset("knl knm mic_avx512".split())
"""Those of them that have AVX-512 for whole registers of 512 bits only, and none of its instructions for bytes and words."""

X86_AVX_FMA: Final = frozenset("""
    alderlake arrowlake arrowlake-s arrowlake_s bdver1 bdver2 bdver3 bdver4 broadwell clearwaterforest core-avx2
    core_4th_gen_avx core_4th_gen_avx_tsx core_5th_gen_avx core_5th_gen_avx_tsx gracemont grandridge haswell lunarlake
    meteorlake pantherlake raptorlake sierraforest skylake wildcatlake x86-64-v3 znver1 znver2 znver3
""".split())

X86_FMA_ONLY: Final = frozenset("bdver1 bdver2 bdver3".split())
"""Those of them that have no arithmetic on integers in 256 bits (AVX2)."""

X86_AVX: Final = frozenset("btver2 core-avx-i core_2nd_gen_avx core_3rd_gen_avx corei7-avx ivybridge sandybridge".split())

X86_SSE: Final = frozenset("""
    amdfam10 athlon-fx athlon64 athlon64-sse3 atom atom_sse4_2 atom_sse4_2_movbe barcelona bonnell btver1 core2
    core_2_duo_sse4_1 core_2_duo_ssse3 core_aes_pclmulqdq core_i7_sse4_2 corei7 goldmont goldmont-plus goldmont_plus k8 k8-sse3
    nehalem nocona opteron opteron-sse3 penryn silvermont slm tremont westmere x86-64 x86-64-v2
""".split())

AARCH64: Final = frozenset("""
    a64fx ampere1 ampere1a ampere1c apple-a10 apple-a11 apple-a12 apple-a13 apple-a14 apple-a15 apple-a16 apple-a17 apple-a18
    apple-a19 apple-a7 apple-a8 apple-a9 apple-m1 apple-m2 apple-m3 apple-m4 apple-m5 apple-s10 apple-s4 apple-s5 apple-s6
    apple-s7 apple-s8 apple-s9 c1-nano c1-premium c1-pro c1-ultra carmel cobalt-100 cortex-a320 cortex-a34 cortex-a35
    cortex-a510 cortex-a520 cortex-a520ae cortex-a53 cortex-a55 cortex-a57 cortex-a65 cortex-a65ae cortex-a710 cortex-a715
    cortex-a72 cortex-a720 cortex-a720ae cortex-a725 cortex-a73 cortex-a75 cortex-a76 cortex-a76ae cortex-a77 cortex-a78
    cortex-a78ae cortex-a78c cortex-r82 cortex-r82ae cortex-x1 cortex-x1c cortex-x2 cortex-x3 cortex-x4 cortex-x925 cyclone
    exynos-m3 exynos-m4 exynos-m5 falkor fujitsu-monaka gb10 grace kryo neoverse-512tvb neoverse-e1 neoverse-n1 neoverse-n2
    neoverse-n3 neoverse-v1 neoverse-v2 neoverse-v3 neoverse-v3ae olympus saphira thunderx thunderx2t99 thunderx3t110
    thunderxt81 thunderxt83 thunderxt88 tsv110
""".split())

X86_VNNI: Final = frozenset("""
    cascadelake cooperlake diamondrapids emeraldrapids graniterapids graniterapids-d graniterapids_d icelake-client icelake-server
    icelake_client icelake_server novalake rocketlake sapphirerapids tigerlake znver4 znver5
""".split())
"""Those with AVX-512 that add products of neighbouring bytes or shorts to words (AVX512-VNNI)."""

X86_AVX_VNNI: Final = frozenset("""
    alderlake arrowlake arrowlake-s arrowlake_s clearwaterforest gracemont grandridge lunarlake meteorlake pantherlake raptorlake
    sierraforest wildcatlake
""".split())
"""Those without AVX-512 that do so in 256 bits (AVX-VNNI)."""

X86_VNNI_INT8: Final = frozenset("""
    arrowlake arrowlake-s arrowlake_s clearwaterforest diamondrapids grandridge lunarlake novalake pantherlake sierraforest
    wildcatlake
""".split())
"""Those of either kind for which both bytes may have a sign or none (AVX-VNNI-INT8, AVX10.2)."""

AARCH64_DOTS: Final = AARCH64 - frozenset("""
    a64fx apple-a10 apple-a11 apple-a12 apple-a7 apple-a8 apple-a9 apple-s4 apple-s5 carmel cortex-a34 cortex-a35 cortex-a53
    cortex-a57 cortex-a72 cortex-a73 cyclone exynos-m3 falkor kryo thunderx thunderx2t99 thunderx3t110 thunderxt81 thunderxt83
    thunderxt88
""".split())
"""Those that add products of four bytes to words (FEAT_DotProd)."""

AARCH64_MIXED_DOTS: Final = AARCH64_DOTS - frozenset("""
    apple-a13 apple-a14 apple-m1 apple-s6 apple-s7 apple-s8 cortex-a55 cortex-a65 cortex-a65ae cortex-a75 cortex-a76 cortex-a76ae
    cortex-a77 cortex-a78 cortex-a78ae cortex-a78c cortex-r82 cortex-r82ae cortex-x1 cortex-x1c exynos-m4 exynos-m5 neoverse-e1
    neoverse-n1 saphira tsv110
""".split())
"""Those of them for which one byte may have a sign and the other none (FEAT_I8MM)."""

Dot = tuple[int, tuple[bool, bool]]
"""Products of neighbouring numbers of so many bits, and whether each factor has a sign, which is added to a word at once."""
_ALIKE: Final = frozenset({(8, (False, False)), (8, (True, True))})
_MIXED: Final = frozenset({(8, (False, True))})
_SHORTS: Final = frozenset({(16, (True, True))})

SVE_BITS: Final = {"a64fx": 512, "fujitsu-monaka": 256, "neoverse-512tvb": 256, "neoverse-v1": 256}
"""Those with registers of the Scalable Vector Extension that are wider than NEON's, and how wide (their makers' manuals)."""

X86: Final = X86_AVX512 | X86_AVX_FMA | X86_AVX | X86_SSE

_LEVEL_2: Final = frozenset("cx16 popcnt sahf sse3 sse4.1 sse4.2 ssse3".split())
_LEVEL_3: Final = _LEVEL_2 | frozenset("avx avx2 bmi bmi2 f16c fma lzcnt movbe".split())
_LEVEL_4: Final = _LEVEL_3 | frozenset("avx512bw avx512cd avx512dq avx512f avx512vl".split())
_CASCADE: Final = _LEVEL_4 | {"avx512vnni"}
_ICELAKE: Final = _CASCADE | frozenset("""
    avx512bitalg avx512ifma avx512vbmi avx512vbmi2 avx512vpopcntdq gfni vaes vpclmulqdq
""".split())

# What a vector kernel compiled for the processor may use, for those where that is known.
NEEDED_FEATURES: Final[dict[str, frozenset[str]]] = {
    "x86-64": frozenset(),
    "x86-64-v2": _LEVEL_2,
    "nehalem": _LEVEL_2,
    "westmere": _LEVEL_2,
    "sandybridge": _LEVEL_2 | {"avx"},
    "ivybridge": _LEVEL_2 | {"avx", "f16c"},
    "x86-64-v3": _LEVEL_3,
    "haswell": _LEVEL_3,
    "broadwell": _LEVEL_3,
    "skylake": _LEVEL_3,
    "znver1": _LEVEL_3 | {"sse4a"},
    "znver2": _LEVEL_3 | {"sse4a"},
    "znver3": _LEVEL_3 | {"sse4a", "vaes", "vpclmulqdq"},
    "x86-64-v4": _LEVEL_4,
    "skylake-avx512": _LEVEL_4,
    "skx": _LEVEL_4,
    "cascadelake": _CASCADE,
    "icelake-client": _ICELAKE,
    "icelake-server": _ICELAKE,
    "tigerlake": _ICELAKE | {"avx512vp2intersect"},
    "rocketlake": _ICELAKE,
    "sapphirerapids": _ICELAKE | {"avx512bf16", "avx512fp16", "avxvnni"},
    "emeraldrapids": _ICELAKE | {"avx512bf16", "avx512fp16", "avxvnni"},
    "alderlake": _LEVEL_3 | {"avxvnni", "gfni", "vaes", "vpclmulqdq"},
    "znver4": _ICELAKE | {"avx512bf16", "sse4a"},
}


def dots_of(cpu: str) -> frozenset[Dot]:
    """The products that an instruction of a processor adds up."""
    vnni, dots, nothing = cpu in X86_VNNI | X86_AVX_VNNI, cpu in AARCH64_DOTS, frozenset[Dot]()
    alike = _ALIKE if dots or cpu in X86_VNNI_INT8 else nothing
    mixed = _MIXED if vnni or cpu in AARCH64_MIXED_DOTS else nothing
    return alike | mixed | (_SHORTS if vnni else nothing)


def dots_with(features: frozenset[str]) -> frozenset[Dot]:
    """Likewise with these features, as LLVM calls them: with AVX-512 in registers of 512 bits."""
    wide, nothing = "avx512f" in features, frozenset[Dot]()
    vnni = ("avx512vnni" if wide else "avxvnni") in features
    alike = features & {"dotprod", "avx10.2" if wide else "avxvnniint8"}
    return (_ALIKE if alike else nothing) | (_MIXED if vnni or "i8mm" in features else nothing) | (_SHORTS if vnni else nothing)
