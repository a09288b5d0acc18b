; wrong: movq\s+%r\w+, 4\(%rdi\)
define void @f(ptr %a, ptr %b) {
  %x = load <2 x i64>, ptr %b, align 1
  %t = trunc <2 x i64> %x to <2 x i32>
  call void @llvm.masked.store.v2i32.p0(<2 x i32> %t, ptr align 1 %a, <2 x i1> <i1 false, i1 true>)
  ret void
}
declare void @llvm.masked.store.v2i32.p0(<2 x i32>, ptr, <2 x i1>)
