#define LEN_2D 64
typedef float real_t;

int dummy(real_t *a, real_t *b, real_t *c, real_t *d, real_t aa[LEN_2D][LEN_2D], real_t bb[LEN_2D][LEN_2D],
          real_t cc[LEN_2D][LEN_2D], real_t s)
{
    a[7] *= 0.5f; /* what the loop has written matters to what follows */
    return (int)(b[0] + c[0] + d[0] + aa[0][0] + bb[0][0] + cc[0][0] + s);
}
