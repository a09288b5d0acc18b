/* The forms of Rodinia: hotspot with flat arrays and clamped borders, srad with tables of neighbours, backprop with rows of pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#define BIGRND 0x7fffffff
#define FLOAT float

static void single_iteration(FLOAT *result, FLOAT *temp, FLOAT *power, int row, int col, FLOAT Cap_1, FLOAT Rx_1, FLOAT Ry_1)
{
    for (int r = 0; r < row; r++)
        for (int c = 0; c < col; c++) {
            FLOAT n = r == 0 ? temp[c] : temp[(r - 1) * col + c], s = r == row - 1 ? temp[r * col + c] : temp[(r + 1) * col + c];
            FLOAT e = c == col - 1 ? temp[r * col + c] : temp[r * col + c + 1], w = c == 0 ? temp[r * col] : temp[r * col + c - 1];
            FLOAT t = temp[r * col + c];
            result[r * col + c] = t + Cap_1 * (power[r * col + c] + (s + n - 2.f * t) * Ry_1 + (e + w - 2.f * t) * Rx_1);
        }
}

static void compute_tran_temp(FLOAT *result, int num_iterations, FLOAT *temp, FLOAT *power, int row, int col)
{
    FLOAT *r = result, *t = temp, *tmp;
    for (int i = 0; i < num_iterations; i++) {
        single_iteration(r, t, power, row, col, 0.1f, 0.2f, 0.3f);
        tmp = t;
        t = r;
        r = tmp;
    }
}

static float srad(float *J, int rows, int cols, float lambda)
{
    int *iN = malloc(sizeof(int) * rows), *iS = malloc(sizeof(int) * rows), *jW = malloc(sizeof(int) * cols);
    int *jE = malloc(sizeof(int) * cols);
    float *dN = malloc(sizeof(float) * rows * cols), *c = malloc(sizeof(float) * rows * cols), sum = 0;
    for (int i = 0; i < rows; i++) {
        iN[i] = i - 1;
        iS[i] = i + 1;
    }
    for (int j = 0; j < cols; j++) {
        jW[j] = j - 1;
        jE[j] = j + 1;
    }
    iN[0] = 0, iS[rows - 1] = rows - 1, jW[0] = 0, jE[cols - 1] = cols - 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            int k = i * cols + j;
            float Jc = J[k];
            dN[k] = J[iN[i] * cols + j] + J[iS[i] * cols + j] + J[i * cols + jW[j]] + J[i * cols + jE[j]] - 4 * Jc;
            c[k] = 1.0f / (1.0f + dN[k] * dN[k] / (Jc * Jc));
            if (c[k] < 0)
                c[k] = 0;
            else if (c[k] > 1)
                c[k] = 1;
        }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            int k = i * cols + j;
            J[k] = J[k] + 0.25f * lambda * (c[iS[i] * cols + j] * dN[k] + c[i * cols + jE[j]] * dN[k]);
        }
    for (int i = 0; i < rows * cols; i++)
        sum += J[i];
    free(iN), free(iS), free(jW), free(jE), free(dN), free(c);
    return sum;
}

static float **alloc_2d_dbl(int m, int n)
{
    float **rows = malloc(m * sizeof(float *));
    for (int i = 0; i < m; i++)
        rows[i] = malloc(n * sizeof(float));
    return rows;
}

static float squash(float x) { return 1.0 / (1.0 + exp(-x)); }

static void bpnn_layerforward(float *l1, float *l2, float **conn, int n1, int n2)
{
    float sum;
    int j, k;
    l1[0] = 1.0;
    for (j = 1; j <= n2; j++) {
        sum = 0.0;
        for (k = 0; k <= n1; k++)
            sum += conn[k][j] * l1[k];
        l2[j] = squash(sum);
    }
}

static void bpnn_adjust_weights(float *delta, int ndelta, float *ly, int nly, float **w, float **oldw)
{
    float new_dw;
    int k, j;
    for (j = 1; j <= ndelta; j++)
        for (k = 0; k <= nly; k++) {
            new_dw = 0.3f * delta[j] * ly[k] + 0.3f * oldw[k][j];
            w[k][j] += new_dw;
            oldw[k][j] = new_dw;
        }
}

int main(void)
{
    int row = 40, col = 52;
    FLOAT *temp = calloc(row * col, sizeof *temp), *power = calloc(row * col, sizeof *power), *result = calloc(row * col, sizeof *result);
    float l1[33], l2[33], delta[33], **w = alloc_2d_dbl(33, 33), **old = alloc_2d_dbl(33, 33);
    double sum = 0;
    for (int i = 0; i < row * col; i++) {
        temp[i] = 300 + i % 13;
        power[i] = (i * 7 % 100) * 0.01f;
    }
    compute_tran_temp(result, 5, temp, power, row, col);
    for (int i = 0; i < row * col; i++)
        sum += result[i];
    printf("hotspot %.17g\nsrad %.9g\n", sum, srad(temp, row, col, 0.5f));
    for (int i = 0; i < 33; i++) {
        l1[i] = i * 0.03f;
        delta[i] = 0.01f * (i - 16);
        for (int j = 0; j < 33; j++) {
            w[i][j] = (i * j % 7) * 0.1f - 0.3f;
            old[i][j] = 0.001f * i;
        }
    }
    bpnn_layerforward(l1, l2, w, 32, 32);
    bpnn_adjust_weights(delta, 32, l1, 32, w, old);
    sum = 0;
    for (int i = 1; i < 33; i++)
        sum += l2[i] + w[i][i] * old[i][3];
    printf("backprop %.17g\n%s\n", sum, sum == sum ? "VERIFICATION SUCCESSFUL" : "FAILED");
    return 0;
}
