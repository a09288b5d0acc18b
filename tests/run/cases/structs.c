/* Arrays of structs: members side by side, nested, of different sizes; structs as values. */
// brushes: 8 4x8 3
// size n: 0..37
// length p: n + 1
// length b: n + 1
// length r: n
struct point { double x, y; };
typedef struct { float pos[3], vel[3]; int id; unsigned char color[4]; struct { short low, high; } range; } body;
static inline struct point plus(struct point a, struct point b) { return (struct point){a.x + b.x, .y = a.y + b.y}; }

void norms(int n, const struct point *restrict p, double *restrict r)
{
    for (int i = 0; i < n; i++)
        r[i] = p[i].x * p[i].x + (p + i)->y * p[i + 1].y;
}

void added(int n, struct point *restrict p, const body *restrict b)
{
    for (int i = 0; i < n; i++) {
        struct point move = {b[i].vel[0]};
        move.y = b[i].vel[1] * 0.5;
        p[i] = plus(p[i], move);
    }
}

void moved(int n, body *restrict b, float dt)
{
    for (int i = 0; i < n; i++) {
        body *self = &b[i];
        for (int k = 0; k < 3; k++)
            self->pos[k] += dt * self->vel[k];
        if (self->pos[0] > 1) {
            self->vel[0] = -self->vel[0];
            self->color[1]++;
            self->id ^= i;
        } else
            self->range.high = self->range.low;
    }
}

void shifted(int n, struct point *p)
{
    for (int i = 0; i < n; i++)
        p[i].x = p[i + 1].y;
}

void grid(int rows, int cols, struct point A[restrict rows][cols], const float B[restrict rows][cols])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++)
            if (B[j][i] > 0)
                A[j][i].y = A[j][i].x * B[j][i];
}
