/* What spheres around one point take from it, by cases of their distance (the shape of thesis, figure 9.4): far spheres are left
 * out, those that reach over the rim, touch the sphere of the point, or hold it, take logarithms; distant ones a short series;
 * everything is damped by an exponential. */
#include <math.h>

void cutoffs(int points, double radius, double rim, const double x[restrict points], const double y[restrict points],
             const double z[restrict points], const double size[restrict points], double taken[restrict points])
{
    for (int i = 0; i < points; ++i) {
        double square = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
        double s = fabs(size[i]);
        taken[i] = 0.0;
        if (square > (rim + s) * (rim + s))
            continue;
        double distance = sqrt(square);
        double share;
        if (distance > rim - s) {
            double u = 1.0 / (distance - s);
            share = 0.125 / distance * (1.0 + 2.0 * distance * u + 2.0 * log((distance - s) / rim));
        } else if (distance > 4.0 * s) {
            double t = s * s / square;
            share = s * t / square * (1.0 / 3 + t * (2.0 / 5 + t * (3.0 / 7 + t * (4.0 / 9))));
        } else if (distance > radius + s) {
            share = 0.5 * (s / (square - s * s) + 0.5 / distance * log((distance - s) / (distance + s)));
        } else if (distance > fabs(radius - s)) {
            double u = 1.0 / (distance + s);
            share = 0.25 * ((2.0 - 0.5 * (square + radius * radius - s * s) / (radius * distance)) / radius - u
                            + log(radius * u) / distance);
        } else {
            share = 0.5 * (s / (square - s * s) + 2.0 / radius + 0.5 / distance * log((s - distance) / (s + distance)));
        }
        taken[i] = share * exp(-square / (rim * rim));
    }
}
