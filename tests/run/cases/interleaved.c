/* Colours and components: short rows of constant length, and the same flattened; stores of several statements share chunks. */
// brushes: 8 16 4x16 3x5
// size n: 0..40
// length p: 2*n
// length q: 2*n
// length r: 2*n
void gray(int h, int w, const unsigned char in[restrict h][w][3], unsigned char g[restrict h][w]) {
  for (int y=0;y<h;y++) for (int x=0;x<w;x++) g[y][x] = (in[y][x][0]*77 + in[y][x][1]*150 + in[y][x][2]*29) >> 8; }
void cmul(int n, const double a[restrict n][2], const double b[restrict n][2], double c[restrict n][2]) {
  for (int i=0;i<n;i++) { c[i][0] = a[i][0]*b[i][0]-a[i][1]*b[i][1]; c[i][1] = a[i][0]*b[i][1]+a[i][1]*b[i][0]; } }
void cmulf(int n, const double *restrict p, const double *restrict q, double *restrict r) {
  for (int i=0;i<n;i++) { r[2*i] = p[2*i]*q[2*i]-p[2*i+1]*q[2*i+1]; r[2*i+1] = p[2*i]*q[2*i+1]+p[2*i+1]*q[2*i]; } }
void planes(int n, int m, const float a[restrict n][m][4], float b[restrict n][m][3])
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            b[i][j][2] = a[i][j][0] * a[i][j][3];
            b[i][j][0] = a[i][j][1] * a[i][j][3];
            b[i][j][1] = a[i][j][2] * a[i][j][3];
        }
}
