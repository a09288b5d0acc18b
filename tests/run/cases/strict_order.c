/* Without --fp fast a sum keeps its order. */
// brushes: 8 4x8
// stays scalar
double ordered(int cols, const double A[restrict cols])
{
    double s = 0;
    for (int i = 0; i < cols; ++i)
        s += A[i];
    return s;
}
