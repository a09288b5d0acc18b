/* Loops inside the body that iterations leave at different times and places. */
// brushes: 8 3 5 16
// size n: 0..40
// values A: -3..9
// values steps: 0..7
// values stop: 0..9
// values limit: 0..9
void used_after(int n, const int A[restrict n], int B[restrict n], int C[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int x = A[i], k = 0;
        while (x > 0) {
            x -= 2;
            k += x;
        }
        B[i] = k;
        C[i] = x;
    }
}

/* The last value of a counter that is uniform as long as the loop runs. */
void counter_after(int n, const int A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int k = 0;
        for (; k < 9; ++k)
            if (A[i] < k)
                break;
        B[i] = k;
    }
}

/* Constants from exits that differ between iterations and from one that does not. */
void constants(int n, int stop, const int A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int found = 0;
        for (int k = 0;; ++k) {
            if (k == stop) {
                found = 1;
                break;
            }
            if (A[i] == k) {
                found = 2;
                break;
            }
            if (k > 6 + (i & 1)) {
                found = 3;
                break;
            }
        }
        B[i] = found;
    }
}

/* All that are still inside leave together. */
void together(int n, int stop, const int A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int k = 0, sum = 100;
        do {
            sum += k * 3;
            if (sum > 100 + A[i])
                break;
            if (k == stop)
                sum = -sum;
        } while (k++ != stop);
        B[i] = sum;
    }
}

/* Nothing happens behind a point that all lanes have left before. */
void store_after_leaving(int n, const int steps[restrict n], int B[restrict n], int C[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int k = 0;
        for (;;) {
            if (k >= steps[i])
                break;
            B[i] = k;
            if (k >= 100)
                C[i] = 7;
            ++k;
        }
        if (k > 7)
            C[i] = k;
    }
}

void own_row(int n, const int steps[restrict n], double B[restrict n][8])
{
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < steps[i]; ++k)
            B[i][k] = B[i][k] * 0.5 + k;
}

void nested(int n, int limit, const int A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int total = 0;
        for (int k = 0; k < A[i]; ++k) {
            for (int l = k; l < limit; ++l) {
                if ((l ^ A[i]) & 4)
                    break;
                if (l == 3)
                    continue;
                total += l;
                if (total > 20)
                    break;
            }
            if (total > 12)
                break;
            total ^= k;
        }
        B[i] = total;
    }
}

/* A loop with the same number of rounds for all, entered by some. */
void entered_by_some(int n, int limit, const int A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int x = A[i];
        if (x > 2)
            for (int k = 0; k < limit; ++k)
                x = x * 3 - k;
        B[i] = x;
    }
}

/* How often the inner loop runs is unknown where no lane enters it. */
void bound_under_condition(int n, int limit, const int A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int x = A[i];
        if (x > 100) {
            int bound = 1000 / limit;
            for (int k = 0; k < bound; ++k)
                x += k;
        }
        B[i] = x;
    }
}

/* Jumps out of two loops, and back. */
void jumps(int n, int limit, const int A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int x = 0, rounds = 0;
    again:
        for (int k = 0; k < limit; ++k)
            for (int l = 0; l < 3; ++l) {
                if (x > 10)
                    goto out;
                if (l > A[i])
                    goto next;
                x += k + l;
            }
    next:
        if (++rounds < 3)
            goto again;
        x = -x;
    out:
        B[i] = x + rounds;
    }
}

/* Two exits to one place, with values that one of them takes from outside. */
void where_from(int n, int limit, const int A[restrict n], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int x = A[i], y = limit;
        for (int k = 0; k < limit; ++k) {
            if (x & 8) {
                y = k;
                break;
            }
            x += 3;
            if (x > 9) {
                y = x;
                break;
            }
        }
        B[i] = y;
    }
}
