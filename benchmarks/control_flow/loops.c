/* Loops and branches that differ between iterations: searches, iterations to convergence, uniform control flow inside divergent
 * one, jumps, cutoffs. */
#include <math.h>
#include <string.h>

/* The last entry of a sorted table that is not above the key. */
void search(int keys, int entries, const float *restrict table, const float *restrict key, int *restrict place)
{
#pragma omp simd
    for (int i = 0; i < keys; ++i) {
        int low = 0, size = entries - 1;
        while (size > 1) {
            int half = size / 2;
            if (table[low + half] > key[i])
                size = half;
            else {
                low += half;
                size -= half;
            }
        }
        place[i] = low;
    }
}

/* The same for keys that are in the table: a search ends where it meets its key. */
void lookup(int keys, int entries, const float *restrict table, const float *restrict key, int *restrict place)
{
#pragma omp simd
    for (int i = 0; i < keys; ++i) {
        int low = 0, high = entries - 1, found = -1;
        while (high - low > 1) {
            int middle = low + (high - low) / 2;
            float here = table[middle];
            if (here == key[i]) {
                found = middle;
                break;
            }
            if (here > key[i])
                high = middle;
            else
                low = middle;
        }
        place[i] = found < 0 ? low : found;
    }
}

/* The nearest centre of every point; points and centres as pairs of coordinates. */
void assign(int points, int centres, const float *restrict centre, const float *restrict point, int *restrict nearest)
{
#pragma omp simd
    for (int i = 0; i < points; ++i) {
        float at[2] = {point[2 * i], point[2 * i + 1]}, best = 1e30f;
        int which = 0;
        for (int c = 0; c < centres; ++c) {
            float d = 0;
            for (int k = 0; k < 2; ++k)
                d += (centre[2 * c + k] - at[k]) * (centre[2 * c + k] - at[k]);
            if (d < best) {
                best = d;
                which = c;
            }
        }
        nearest[i] = which;
    }
}

void escape(int rows, int cols, int limit, float left, float below, float dx, float dy, int *restrict times)
{
    for (int j = 0; j < rows; ++j) {
#pragma omp simd
        for (int i = 0; i < cols; ++i) {
            float cx = left + i * dx, cy = below + j * dy, x = cx, y = cy;
            int k = 0;
            while (k < limit && x * x + y * y <= 4) {
                float next = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = next;
                ++k;
            }
            times[j * cols + i] = k;
        }
    }
}

/* One of two uniform loops, for some of the iterations. */
void either(int n, int mode, int degree, float bound, const float *restrict a, const float *restrict c, float *restrict r)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        float x = a[i], y = 0;
        if (x > bound) {
            if (mode)
                for (int k = 0; k < degree; ++k)
                    y = y * x + c[k];
            else
                for (int k = 0; k < degree; ++k)
                    y = y / (x + c[k]) + 1;
        } else
            y = -x;
        r[i] = y;
    }
}

/* Newton's method on a polynomial: how many steps each start takes. */
void newton(int n, int degree, int damped, const float *restrict start, const float *restrict c, int *restrict steps)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        float x = start[i];
        int step = 0;
        for (; step < 64; ++step) {
            float value = c[0], slope = 0;
            for (int k = 1; k < degree; ++k) {
                slope = slope * x + value;
                value = value * x + c[k];
            }
            if (fabsf(value) < 1e-4f)
                break;
            float move = value / (fabsf(slope) < 1e-6f ? 1e-6f : slope);
            if (damped)
                move = move > 1 ? 1 : move < -1 ? -1 : move;
            x -= move;
        }
        steps[i] = step;
    }
}

/* A byte code that all iterations interpret, until their own result is large. */
void interpret(int n, int length, int rounds, const float *restrict a, const int *restrict code, const float *restrict number,
               float *restrict r)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        float x = a[i], sum = 0;
        for (int round = 0; round < rounds; ++round) {
            for (int at = 0; at < length; ++at) {
                switch (code[at]) {
                case 0: sum += x * number[at]; break;
                case 1: x = x * number[at] + 0.25f; break;
                case 2:
                    if (sum > x)
                        sum *= 0.5f;
                    break;
                case 3: x = sqrtf(fabsf(x) + number[at]); break;
                default: sum -= number[at];
                }
            }
            if (sum > 8.0f)
                break;
        }
        r[i] = sum;
    }
}

/* Jumps between three places, with two ways out. */
void wander(int n, const unsigned *restrict a, int *restrict r)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        unsigned x = a[i];
        int s = 0, k = 0;
    draw:
        if (k >= 64)
            goto done;
        x = x * 1664525u + 1013904223u;
        ++k;
        if (x & 0x20000)
            goto step;
        ++s;
        if ((x >> 9 & 0xff) < 3)
            goto turn;
    step:
        s += 2;
        if (x & 0x800000)
            goto draw;
        if (s > 180)
            goto done;
        s += x >> 21 & 3;
        goto draw;
    turn:
        s = -s;
    done:
        r[i] = s;
    }
}

void square_root(int n, const float *restrict a, float *restrict r)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        float d = a[i] < 0 ? NAN : a[i], scale = 1;
        if (d < 0x1p-74f) {
            d *= 0x1p74f;
            scale = 0x1p-37f;
        }
        if (d > 0x1p64f) {
            d *= 0x1p-64f;
            scale = 0x1p32f;
        }
        int bits;
        float shifted = d + 1e-45f, x;
        memcpy(&bits, &shifted, sizeof bits);
        bits = 0x5f375a86 - (bits >> 1);
        memcpy(&x, &bits, sizeof x);
        for (int k = 0; k < 4; ++k)
            x = x * (1.5f - 0.5f * d * x * x);
        r[i] = d == INFINITY ? d : x * d * scale;
    }
}

void logstar(int n, const double *restrict a, int *restrict times)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        double x = a[i];
        int k = 0;
        do {
            ++k;
            x = log(x);
        } while (x > 1.0);
        times[i] = a[i] > 1.0 ? k : 0;
    }
}

static inline float below(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d)), k2 = k * k, k3 = k2 * k;
    float tail = 0.31938153f * k - 0.356563782f * k2 + 1.781477937f * k3 - 1.821255978f * k2 * k2 + 1.330274429f * k3 * k2;
    tail *= 0.39894228040f * expf(-d * d * 0.5f);
    return d > 0 ? 1 - tail : tail;
}

void prices(int n, const float *restrict spot, const float *restrict strike, const float *restrict years,
            const float *restrict rate, const float *restrict volatility, float *restrict call)
{
#pragma omp simd
    for (int i = 0; i < n; ++i) {
        float spread = volatility[i] * sqrtf(years[i]);
        float d = (logf(spot[i] / strike[i]) + (rate[i] + volatility[i] * volatility[i] * 0.5f) * years[i]) / spread;
        call[i] = spot[i] * below(d) - strike[i] * expf(-rate[i] * years[i]) * below(d - spread);
    }
}

/* Screened surfaces of atoms: for each the sum over its neighbours, which a cascade of cutoffs distinguishes. */
void surfaces(int atoms, double rim, const int *start, const int *neighbour, const double *at, const double *size,
              const double *factor, double *restrict sum)
{
    double far = (rim + 2.5) * (rim + 2.5), inverse = 1 / rim;
    for (int i = 0; i < atoms; ++i) {
        double x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2], r = size[i] - 0.09, total = 0;
#pragma omp simd reduction(+ : total)
        for (int k = start[i]; k < start[i + 1]; ++k) {
            int j = neighbour[k];
            double dx = x - at[3 * j], dy = y - at[3 * j + 1], dz = z - at[3 * j + 2];
            double d2 = dx * dx + dy * dy + dz * dz;
            if (d2 > far)
                continue;
            double id = 1 / sqrt(d2), d = d2 * id, s = factor[j] * (size[j] - 0.09), s2 = s * s;
            if (d > rim + s)
                continue;
            if (d > rim - s) {
                double u = 1 / (d - s);
                total -= 0.125 * id * (1 + 2 * d * u + inverse * inverse * (d2 - 4 * rim * d - s2) + 2 * log((d - s) * inverse));
            } else if (d > 4 * s) {
                double id2 = id * id, t = s2 * id2;
                total -= s * t * id2 * (1.0 / 3 + t * (2.0 / 5 + t * (3.0 / 7 + t * (4.0 / 9 + t * (5.0 / 11)))));
            } else if (d > r + s) {
                total -= 0.5 * (s / (d2 - s2) + 0.5 * id * log((d - s) / (d + s)));
            } else if (d > fabs(r - s)) {
                double th = 0.5 * id * (d2 + r * r - s2) / r, u = 1 / (d + s);
                total -= 0.25 * ((2 - th) / r - u + id * log(r * u));
            } else if (r < s) {
                total -= 0.5 * (s / (d2 - s2) + 2 / r + 0.5 * id * log((s - d) / (s + d)));
            }
        }
        sum[i] = total;
    }
}

/* Energies of pairs within one cutoff, with a uniform choice inside. */
void energies(int atoms, double cutoff, double kappa, const int *start, const int *neighbour, const double *at,
              const double *size, const double *charge, double *restrict sum)
{
    for (int i = 0; i < atoms; ++i) {
        double x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2], total = 0;
#pragma omp simd reduction(+ : total)
        for (int k = start[i]; k < start[i + 1]; ++k) {
            int j = neighbour[k];
            double dx = x - at[3 * j], dy = y - at[3 * j + 1], dz = z - at[3 * j + 2];
            double d2 = dx * dx + dy * dy + dz * dz;
            if (d2 > cutoff)
                continue;
            double both = size[i] * size[j];
            double f = 1 / sqrt(d2 + both * exp(-d2 / (4 * both)));
            double screen = kappa > 0 ? exp(-kappa / f) : 1.0;
            total -= charge[i] * charge[j] * f * (1 - screen * 0.0127);
        }
        sum[i] = total;
    }
}
