; wrong: #1\.0+\s+fminnm\s+d0, d0, d1\s+ret
define double @f(double %x) {
  %a = call double @llvm.minnum.f64(double %x, double 2.0)
  %b = call double @llvm.minnum.f64(double %a, double 1.0)
  ret double %b
}
declare double @llvm.minnum.f64(double, double)
