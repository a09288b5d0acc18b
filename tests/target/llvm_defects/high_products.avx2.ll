; wrong: vpmulhw\b.*\n\s*vpsrlw\s+\$13
define <8 x i16> @f(<8 x i16> %a, <8 x i16> %b) {
  %x = sext <8 x i16> %a to <8 x i64>
  %y = sext <8 x i16> %b to <8 x i64>
  %m = mul <8 x i64> %x, %y
  %s = ashr <8 x i64> %m, splat (i64 29)
  %t = trunc <8 x i64> %s to <8 x i16>
  ret <8 x i16> %t
}
