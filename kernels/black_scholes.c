/* Prices of European call and put options by the formula of Black and Scholes; the normal distribution function by a rational
 * approximation of its tail (Abramowitz and Stegun, 26.2.17). */
#include <math.h>

static inline float below(float d)
{
    float size = fabsf(d);
    float k = 1.0f / (1.0f + 0.2316419f * size);
    float series = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989422804f * expf(-0.5f * size * size) * series;
    return d > 0.0f ? 1.0f - tail : tail;
}

void black_scholes(int options, float rate, float volatility, const float spot[restrict options],
                   const float strike[restrict options], const float years[restrict options], float call[restrict options],
                   float put[restrict options])
{
    for (int i = 0; i < options; ++i) {
        float spread = volatility * sqrtf(years[i]);
        float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
        float d2 = d1 - spread;
        float paid = strike[i] * expf(-rate * years[i]);
        float value = spot[i] * below(d1) - paid * below(d2);
        call[i] = value;
        put[i] = value - spot[i] + paid;
    }
}
