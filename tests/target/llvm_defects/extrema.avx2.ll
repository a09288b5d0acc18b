; wrong: vcmpless\b.*\n\s*vandnps\b.*\n\s*vcvtss2sd
define double @f(float %x) {
  %w = fpext float %x to double
  %c = fcmp olt float %x, 0.0
  %s = select i1 %c, double 0.0, double %w
  ret double %s
}
