/* The iterated logarithm: how often the logarithm can be taken until the value is at most one (thesis, figure 3.20). */
#include <math.h>

void logstar(int n, const double a[restrict n], int times[restrict n])
{
    for (int i = 0; i < n; ++i) {
        double x = a[i];
        int count = 0;
        while (x > 1.0 && x < INFINITY) {
            x = log(x);
            ++count;
        }
        times[i] = count;
    }
}
