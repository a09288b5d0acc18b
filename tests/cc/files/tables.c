/* Constant tables of any length, and statics that are const and point somewhere, in nests and in functions that they call. */
#include <stdio.h>

static const double weight[100] = {1, 2, 3, 4, 5, 6, 7, [50] = .5, [99] = 2.5};
static const float small[4] = {.25f, .5f, .75f, 1};
const int order[80] = {3, 1, 2, [40] = 9, [79] = 7};
static int counts[80];
static int *const total = &counts[7];
static double grid[100];

static double scaled(int i) { return i * weight[i] + *total; }

int main(void)
{
    for (int i = 0; i < 100; i++)
        grid[i] = weight[i] + i;
    for (int i = 0; i < 80; i++)
        counts[i] = 2 * order[i] + 1;
    for (int i = 0; i < 100; i++)
        grid[i] += scaled(i) * small[i & 3];
    for (int i = 0; i < 100; i += 7)
        printf("%g ", grid[i]);
    for (int i = 0; i < 80; i += 13)
        printf("%d ", counts[i]);
    printf("\n");
    return 0;
}
