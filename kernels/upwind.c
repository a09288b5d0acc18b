/* First-order upwind transport: the difference is taken against the wind, whose sign differs from point to point. */
void upwind(int rows, int cols, double dt, const double U[restrict rows][cols], const double V[restrict rows][cols],
            const double Q[restrict rows][cols], double R[restrict rows][cols])
{
    for (int j = 1; j < rows - 1; ++j)
        for (int i = 1; i < cols - 1; ++i) {
            double dx, dy;
            if (U[j][i] > 0)
                dx = Q[j][i] - Q[j][i - 1];
            else
                dx = Q[j][i + 1] - Q[j][i];
            if (V[j][i] > 0)
                dy = Q[j][i] - Q[j - 1][i];
            else
                dy = Q[j + 1][i] - Q[j][i];
            R[j][i] = Q[j][i] - dt * (U[j][i] * dx + V[j][i] * dy);
        }
}
