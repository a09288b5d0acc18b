/* Escape times of the Mandelbrot set: every pixel leaves its loop in an iteration of its own. */
void mandelbrot(int rows, int cols, int limit, float left, float top, float step, int times[restrict rows][cols])
{
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cols; ++i) {
            float cx = left + i * step, cy = top + j * step;
            float x = cx, y = cy;
            int k = 0;
            while (k < limit && x * x + y * y < 4.0f) {
                float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                ++k;
            }
            times[j][i] = k;
        }
}
