/* Slopes limited by van Leer's harmonic mean: zero at extrema, where the quotient would be of no use. */
void limiter(int rows, int cols, const double Q[restrict rows][cols], double slope[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 1; i < cols - 1; ++i) {
            double before = Q[j][i] - Q[j][i - 1];
            double after = Q[j][i + 1] - Q[j][i];
            double product = before * after;
            if (product > 0)
                slope[j][i] = 2 * product / (before + after);
            else
                slope[j][i] = 0;
        }
}
