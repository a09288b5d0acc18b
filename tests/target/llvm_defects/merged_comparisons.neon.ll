; wrong: fminnm
define i1 @f(double %x, double %y, double %z) {
  %a = fcmp olt double %x, %z
  %b = fcmp olt double %y, %z
  %c = or i1 %a, %b
  ret i1 %c
}
