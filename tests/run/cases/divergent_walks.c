/* Searches and walks of every iteration on its own path: what is loaded is known only for those still under way. */
// brushes: 8 5 16
// size n: 0..40
// values next: 0..15
// values start: 0..15
void walk(int n, const int next[restrict 16], const double weight[restrict 16], const int start[restrict n],
          double B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        int at = start[i], left = 9;
        while (at != 0 && left-- > 0) {
            sum += weight[at];
            at = next[at];
        }
        B[i] = sum;
    }
}

void lower_bound(int n, const double keys[restrict 16], const double A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int low = 0, high = 16;
        while (low < high) {
            int middle = (low + high) / 2;
            if (keys[middle] < A[i])
                low = middle + 1;
            else
                high = middle;
        }
        B[i] = low;
    }
}

void escape(int n, const float X[restrict n], const float Y[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        float x = 0, y = 0;
        int k = 0;
        for (; k < 30 && x * x + y * y < 4; ++k) {
            float t = x * x - y * y + X[i];
            y = 2 * x * y + Y[i];
            x = t;
        }
        B[i] = k;
    }
}

void hailstone(int n, const unsigned char start[restrict n], unsigned short B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        unsigned x = start[i];
        unsigned short steps = 0;
        while (x > 1) {
            x = x % 2 ? 3 * x + 1 : x / 2;
            ++steps;
        }
        B[i] = steps;
    }
}
