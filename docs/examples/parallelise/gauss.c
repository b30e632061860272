/* Gaussian elimination without pivoting of an N x N matrix, N = PN * SN, in PN blocks of SN columns, and the
   solution of a system with it. Step k makes the columns a[k + 1] from a[k]; lu[k] has the factored block. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PN 4 /* blocks of columns */
#define SN 2 /* columns of a block */
#define N (PN * SN)

typedef double block[SN][N]; /* column by column */

static block a[PN][PN], lu[PN];

static double element(int i, int j) { return i == j ? N + 1 : 1.0 / (1 + abs(i - j)); }

void Initiation(block columns[PN]) {
  for (int b = 0; b < PN; b++)
    for (int j = 0; j < SN; j++)
      for (int i = 0; i < N; i++) columns[b][j][i] = element(i, b * SN + j);
}

/* Factors block k: below the diagonal the multipliers, above it the result. */
void Factor(const block columns, block factored, int k, int sn, int n) {
  for (int j = 0; j < sn; j++)
    for (int i = 0; i < n; i++) factored[j][i] = columns[j][i];
  for (int j = 0; j < sn; j++)
    for (int i = k * sn + j + 1; i < n; i++) {
      factored[j][i] = factored[j][i] / factored[j][k * sn + j];
      for (int c = j + 1; c < sn; c++) factored[c][i] -= factored[j][i] * factored[c][k * sn + j];
    }
}

void Update(const block factored, const block columns, block updated, int k, int sn, int n) {
  for (int c = 0; c < sn; c++) {
    for (int i = 0; i < n; i++) updated[c][i] = columns[c][i];
    for (int j = 0; j < sn; j++)
      for (int i = k * sn + j + 1; i < n; i++) updated[c][i] -= factored[j][i] * updated[c][k * sn + j];
  }
}

/* Solves for a right side whose solution is 1, 2, ..., N. */
void Solve(const block factored[PN]) {
  static const int n = N;
  double x[N];
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    for (int j = 0; j < n; j++) x[i] += element(i, j) * (j + 1);
  }
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) x[i] -= factored[j / SN][j % SN][i] * x[j];
  double error = 0;
  for (int j = n - 1; j >= 0; j--) {
    x[j] /= factored[j / SN][j % SN][j];
    error = fmax(error, fabs(x[j] - (j + 1)));
    for (int i = 0; i < j; i++) x[i] -= factored[j / SN][j % SN][i] * x[j];
  }
  printf("gauss: %d equations, the last unknown is %.12g, %s\n", n, x[n - 1], error < 1e-9 * n ? "correct" : "wrong");
  if (error >= 1e-9 * n) exit(1);
}

int main(void) {
  Initiation(a[0]);
  for (int k = 0; k < PN; k++) {
    Factor(a[k][k], lu[k], k, SN, N);
    for (int j = k + 1; j < PN; j++) Update(lu[k], a[k][j], a[k + 1][j], k, SN, N);
  }
  Solve(lu);
  return 0;
}
