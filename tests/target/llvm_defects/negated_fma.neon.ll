; wrong: fnmadd
define double @f(double %x, double %y, double %z) {
  %a = call double @llvm.fma.f64(double %x, double %y, double %z)
  %b = fneg double %a
  ret double %b
}
declare double @llvm.fma.f64(double, double, double)
