/* Tiled LU factorisation without pivoting, in place, of an allocated array of tiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <takt/sections.h>

#define NT 4 /* tiles in each direction */
#define NB 8 /* rows of a tile */

typedef double tile[NB][NB];

static double element(int i, int j) { return i == j ? NT * NB + 1 : 1.0 / (1 + abs(i - 2 * j)); }

void fill(takt_out tile *a, int row, int column) {
  for (int i = 0; i < NB; i++)
    for (int j = 0; j < NB; j++) (*a)[i][j] = element(row + i, column + j);
}

void getrf(takt_inout tile *a) {
  for (int k = 0; k < NB; k++)
    for (int i = k + 1; i < NB; i++) {
      (*a)[i][k] /= (*a)[k][k];
      for (int j = k + 1; j < NB; j++) (*a)[i][j] -= (*a)[i][k] * (*a)[k][j];
    }
}

/* a = L^-1 * a, with the unit lower triangle of `lu`. */
void solve_lower(const tile *lu, takt_inout tile *a) {
  for (int k = 0; k < NB; k++)
    for (int i = k + 1; i < NB; i++)
      for (int j = 0; j < NB; j++) (*a)[i][j] -= (*lu)[i][k] * (*a)[k][j];
}

/* a = a * U^-1, with the upper triangle of `lu`. */
void solve_upper(const tile *lu, takt_inout tile *a) {
  for (int i = 0; i < NB; i++)
    for (int j = 0; j < NB; j++) {
      for (int k = 0; k < j; k++) (*a)[i][j] -= (*a)[i][k] * (*lu)[k][j];
      (*a)[i][j] /= (*lu)[j][j];
    }
}

void update(const tile *left, const tile *up, takt_inout tile *a) {
  for (int i = 0; i < NB; i++)
    for (int k = 0; k < NB; k++)
      for (int j = 0; j < NB; j++) (*a)[i][j] -= (*left)[i][k] * (*up)[k][j];
}

/* L * (U * x) is the matrix times x. */
void check(const tile *a takt_extent(tiles), int tiles) {
  enum { n = NT * NB };
  double x[n], y[n], error = 0;
  for (int i = 0; i < n; i++) x[i] = 1 + i % 7;
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = i; j < n; j++) y[i] += a[i / NB * NT + j / NB][i % NB][j % NB] * x[j];
  }
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < i; j++) y[i] += a[i / NB * NT + j / NB][i % NB][j % NB] * y[j];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) y[i] -= element(i, j) * x[j];
    error = fmax(error, fabs(y[i]));
  }
  printf("lu: %d tiles, the last element is %.15g, %s\n", tiles, a[tiles - 1][NB - 1][NB - 1],
         error < 1e-9 * n ? "correct" : "wrong");
  if (error >= 1e-9 * n) exit(1);
}

int main(void) {
  tile *a = malloc(NT * NT * sizeof(tile));
  for (int i = 0; i < NT; i++)
    for (int j = 0; j < NT; j++) fill(&a[i * NT + j], i * NB, j * NB);
  for (int k = 0; k < NT; k++) {
    getrf(&a[k * NT + k]);
    for (int j = k + 1; j < NT; j++) solve_lower(&a[k * NT + k], &a[k * NT + j]);
    for (int i = k + 1; i < NT; i++) {
      solve_upper(&a[k * NT + k], &a[i * NT + k]);
      for (int j = k + 1; j < NT; j++) update(&a[i * NT + k], &a[k * NT + j], &a[i * NT + j]);
    }
  }
  check(a, NT * NT);
  free(a);
  return 0;
}
