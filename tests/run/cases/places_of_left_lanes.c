/* Lanes that have left a loop hold places far outside their objects; those that are still in it go on reading and writing theirs. */
// brushes: 5 8 9 4x8 2x5 8x1
// size n: 0..30
// values next: 0..99
// values link: 0..99
// values start: 0..99
// length link: 26

/* Every lane walks through an object of its own. */
void lists(int n, const int next[restrict n][26], const int A[restrict n], int B[restrict n], int C[restrict n])
{
    for (int i = 0; i < n; ++i) {
        int object[26], marks[26], steps = 0, sum = 0;
        for (int k = 0; k < 26; ++k) {
            object[k] = next[i][k] > 25 ? next[i][k] << 20 : next[i][k];
            marks[k] = A[i] & k;
        }
        for (int at = A[i] & 15; at < 26 && steps < 30; at = object[at]) {
            sum += marks[at];
            marks[at] = steps++;
        }
        B[i] = sum;
        C[i] = steps + marks[3];
    }
}

/* The same through a pointer to one of two members. */
struct node { short left, right; int value; };
void trees(int n, const int A[restrict n][6], int B[restrict n])
{
    for (int i = 0; i < n; ++i) {
        struct node tree[6];
        int deepest = 0;
        for (int k = 0; k < 6; ++k) {
            tree[k] = (struct node){32000, 32000, A[i][k]};
            if (!k)
                continue;
            int at = 0, depth = 1;
            for (;; ++depth) {
                short *next = A[i][k] < tree[at].value ? &tree[at].left : &tree[at].right;
                if (*next >= 6) {
                    *next = k;
                    break;
                }
                at = *next;
            }
            if (depth > deepest)
                deepest = depth;
        }
        B[i] = deepest;
    }
}

/* The lanes of a row are at one place, and leave the loop together. */
void rows_of_lanes(int n, int m, const int link[restrict 26], const int start[restrict n], const int A[restrict n][m], int B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            int object[26], steps = 0, sum = 0;
            for (int k = 0; k < 26; ++k)
                object[k] = A[j][i] >> (k & 15);
            int at = start[j];
            while (at < 26 && steps < 9) {
                sum ^= object[at];
                object[at] = steps++;
                at = link[at];
                if (at > 25)
                    at <<= 20;
            }
            B[j][i] = sum + object[5];
        }
}

/* The same with objects that are small enough to become registers. */
void small_objects(int n, int m, const int start[restrict n], const int A[restrict n][m], int B[restrict n][m])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            int object[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, steps = 0, sum = 0, at = start[j] & 15;
            while (at < 9 && steps < 12) {
                sum += object[at] * (A[j][i] & 1023);
                object[at] = (A[j][i] & 1023) + steps++;
                at = (at * 5 + 3) % 11;
                if (at >= 9)
                    at <<= 24;
            }
            B[j][i] = sum + object[5];
        }
}
