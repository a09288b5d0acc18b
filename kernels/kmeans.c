/* The nearest of a set of centres for every point in the plane; the first one wins ties. */
void kmeans(int points, int centres, const float x[restrict points], const float y[restrict points],
            const float cx[restrict centres], const float cy[restrict centres], int nearest[restrict points])
{
    for (int i = 0; i < points; ++i) {
        float best = 3.0e38f;
        int found = -1;
        for (int c = 0; c < centres; ++c) {
            float dx = x[i] - cx[c], dy = y[i] - cy[c];
            float distance = dx * dx + dy * dy;
            if (distance < best) {
                best = distance;
                found = c;
            }
        }
        nearest[i] = found;
    }
}
