/* Laplace's equation by the method of Gauss and Seidel: blocks are updated in place, each from the new values of
   its upper and left neighbours. Blocks of one diagonal run in parallel (wavefront). */
#include <stdio.h>
#include <stdlib.h>
#include <takt/sections.h>

#define PN 4    /* blocks in each direction */
#define SN 8    /* points of a block in each direction */
#define STEPS 4 /* sweeps */

typedef double block[SN][SN];

static block u[PN][PN];
static const block edge;

void Start(block b, int row, int column) {
  for (int i = 0; i < SN; i++)
    for (int j = 0; j < SN; j++) b[i][j] = (row * SN + i) % 3 + (column * SN + j) % 5;
}

void Relax(takt_inout block b, const block above, const block left, const block below, const block right, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i][j] = 0.25 * ((i > 0 ? b[i - 1][j] : above[n - 1][j]) + (j > 0 ? b[i][j - 1] : left[i][n - 1]) +
                        (i < n - 1 ? b[i + 1][j] : below[0][j]) + (j < n - 1 ? b[i][j + 1] : right[i][0]));
}

/* The same sweeps over the whole square at once give the same numbers. */
void Check(const block result[PN][PN]) {
  static const int n = PN * SN;
  double(*v)[PN * SN] = malloc(sizeof(double[PN * SN][PN * SN]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) v[i][j] = i % 3 + j % 5;
  for (int t = 0; t < STEPS; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        v[i][j] = 0.25 * ((i > 0 ? v[i - 1][j] : 0) + (j > 0 ? v[i][j - 1] : 0) + (i < n - 1 ? v[i + 1][j] : 0) +
                          (j < n - 1 ? v[i][j + 1] : 0));
  double sum = 0;
  int is_correct = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      sum += v[i][j];
      if (v[i][j] != result[i / SN][j / SN][i % SN][j % SN]) is_correct = 0;
    }
  free(v);
  printf("gauss-seidel: mean %.15g, %s\n", sum / (n * n), is_correct ? "correct" : "wrong");
  if (!is_correct) exit(1);
}

int main(void) {
  for (int i = 0; i < PN; i++)
    for (int j = 0; j < PN; j++) Start(u[i][j], i, j);
  for (int t = 0; t < STEPS; t++)
    for (int i = 0; i < PN; i++)
      for (int j = 0; j < PN; j++)
        Relax(u[i][j], i > 0 ? u[i - 1][j] : edge, j > 0 ? u[i][j - 1] : edge, i < PN - 1 ? u[i + 1][j] : edge,
              j < PN - 1 ? u[i][j + 1] : edge, SN);
  Check(u);
  return 0;
}
