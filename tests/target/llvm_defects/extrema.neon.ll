; wrong: fminnm
define double @f(double %x) {
  %c = fcmp olt double %x, 0.0
  %s = select i1 %c, double %x, double 0.0
  ret double %s
}
