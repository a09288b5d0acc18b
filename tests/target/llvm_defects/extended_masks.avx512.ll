; wrong: kmovd\s+%\w+, (%k\d)(?:\n(?!\s*kmovb).*)*?\n\s*kmovw\s+\1, -\d+\(%rsp\).*(?:\n(?!\s*kmovb).*)*?\n\s*vmovdqu8\s+%xmm
define void @f(ptr %a, ptr %b, ptr %c, i32 %bits) {
  %byte = trunc i32 %bits to i8
  %mask = bitcast i8 %byte to <8 x i1>
  %x = load <8 x double>, ptr %a, align 8
  %y = load <8 x i8>, ptr %b, align 1
  call void @llvm.masked.store.v8f64.p0(<8 x double> %x, ptr align 8 %c, <8 x i1> %mask)
  call void asm sideeffect "", "~{k0},~{k1},~{k2},~{k3},~{k4},~{k5},~{k6},~{k7}"()
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %y, ptr align 1 %a, <8 x i1> %mask)
  ret void
}
declare void @llvm.masked.store.v8f64.p0(<8 x double>, ptr, <8 x i1>)
declare void @llvm.masked.store.v8i8.p0(<8 x i8>, ptr, <8 x i1>)
