/* Tiled Cholesky factorisation A = L * L^T of one flat N x N array, N = NT * NB, in place, as in PLASMA. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <takt/sections.h>

#define NT 4 /* tiles in each direction */
#define NB 8 /* rows of a tile */
#define N (NT * NB)

static double element(int i, int j) { return i == j ? N + 1 : 1.0 / (1 + abs(i - j)); }

void fill(takt_out double *a takt_tile(nb, nb, ld), int nb, int ld, int row, int column) {
  for (int i = 0; i < nb; i++)
    for (int j = 0; j < nb; j++) a[i * ld + j] = element(row + i, column + j);
}

void potrf(takt_inout double *a takt_tile(nb, nb, ld), int nb, int ld) {
  for (int j = 0; j < nb; j++) {
    for (int k = 0; k < j; k++) a[j * ld + j] -= a[j * ld + k] * a[j * ld + k];
    a[j * ld + j] = sqrt(a[j * ld + j]);
    for (int i = j + 1; i < nb; i++) {
      for (int k = 0; k < j; k++) a[i * ld + j] -= a[i * ld + k] * a[j * ld + k];
      a[i * ld + j] /= a[j * ld + j];
    }
  }
}

void trsm(const double *l takt_tile(nb, nb, ld), takt_inout double *a takt_tile(nb, nb, ld), int nb, int ld) {
  for (int i = 0; i < nb; i++)
    for (int j = 0; j < nb; j++) {
      for (int k = 0; k < j; k++) a[i * ld + j] -= a[i * ld + k] * l[j * ld + k];
      a[i * ld + j] /= l[j * ld + j];
    }
}

/* a -= b * c^T */
void gemm(const double *b takt_tile(nb, nb, ld), const double *c takt_tile(nb, nb, ld),
          takt_inout double *a takt_tile(nb, nb, ld), int nb, int ld) {
  for (int i = 0; i < nb; i++)
    for (int j = 0; j < nb; j++)
      for (int k = 0; k < nb; k++) a[i * ld + j] -= b[i * ld + k] * c[j * ld + k];
}

/* a -= b * b^T */
void syrk(const double *b takt_tile(nb, nb, ld), takt_inout double *a takt_tile(nb, nb, ld), int nb, int ld) {
  for (int i = 0; i < nb; i++)
    for (int j = 0; j < nb; j++)
      for (int k = 0; k < nb; k++) a[i * ld + j] -= b[i * ld + k] * b[j * ld + k];
}

void check(const double *l takt_extent(n *n), int n) {
  double error = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k <= j; k++) sum += l[i * n + k] * l[j * n + k];
      error = fmax(error, fabs(sum - element(i, j)));
    }
  printf("cholesky: %d rows, the last element is %.15g, %s\n", n, l[n * n - 1], error < 1e-10 * n ? "correct" : "wrong");
  if (error >= 1e-10 * n) exit(1);
}

int main(void) {
  double *a = malloc(sizeof(double) * N * N);
  for (int i = 0; i < NT; i++)
    for (int j = 0; j < NT; j++) fill(&a[i * NB * N + j * NB], NB, N, i * NB, j * NB);
  for (int k = 0; k < NT; k++) {
    potrf(&a[k * NB * N + k * NB], NB, N);
    for (int m = k + 1; m < NT; m++) trsm(&a[k * NB * N + k * NB], &a[m * NB * N + k * NB], NB, N);
    for (int m = k + 1; m < NT; m++) {
      for (int n = k + 1; n < m; n++)
        gemm(&a[m * NB * N + k * NB], &a[n * NB * N + k * NB], &a[m * NB * N + n * NB], NB, N);
      syrk(&a[m * NB * N + k * NB], &a[m * NB * N + m * NB], NB, N);
    }
  }
  check(a, N);
  free(a);
  return 0;
}
