/* Local arrays in brushes of two dimensions: an object for every lane, or one for the lanes of a row. */
// brushes: j=2,i=8 j=4,i=3 j=3,i=1
// size rows: 0..9
// size cols: 0..19
// values A: -40..60

void own(int rows, int cols, const int A[restrict rows][cols], int out[restrict rows][cols])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++) {
            int table[20];
            for (int d = 0; d < 20; d++) table[d] = A[j][i] + d;
            if (A[j][i] > 0) table[A[j][i] % 20] = j;
            int sum = 0;
            for (int d = 0; d < 20; d++) sum = sum * 3 + table[d];
            out[j][i] = sum;
        }
}
void of_rows(int rows, int cols, const int A[restrict rows][cols], int out[restrict rows][cols])
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < cols; i++) {
            int table[20];
            for (int d = 0; d < 20; d++) table[d] = j * d;
            int at = A[j][i] & 15;
            if (A[j][i] > 50) at = 3;
            out[j][i] = table[at] - table[7];
        }
}
