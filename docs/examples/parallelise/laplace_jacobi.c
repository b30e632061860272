/* Laplace's equation on a square by Jacobi's method: STEPS sweeps over PN strips of SN rows. Each strip reads the
   nearest rows of its neighbours; every sweep has an array of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PN 4     /* strips */
#define SN 8     /* rows of a strip */
#define STEPS 10 /* sweeps */
#define COLUMNS (PN * SN)

typedef double row[COLUMNS];

static row u[STEPS + 1][PN][SN];

/* The upper edge is at 1, the others at 0. */
static const row hot = {[0 ... COLUMNS - 1] = 1}, cold;

void Start(row strip[SN]) {
  for (int i = 0; i < SN; i++)
    for (int j = 0; j < COLUMNS; j++) strip[i][j] = 0;
}

void Sweep(const row *above, const row strip[SN], const row *below, row next[SN], int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    const double *up = i > 0 ? strip[i - 1] : above[0];
    const double *down = i < rows - 1 ? strip[i + 1] : below[0];
    for (int j = 0; j < columns; j++) {
      const double left = j > 0 ? strip[i][j - 1] : 0, right = j < columns - 1 ? strip[i][j + 1] : 0;
      next[i][j] = 0.25 * (up[j] + down[j] + left + right);
    }
  }
}

/* Values stay between those of the edges, are equal left and right, and fall from the hot edge on. */
void Check(const row result[PN][SN]) {
  double sum = 0;
  int is_correct = 1;
  for (int i = 0; i < PN * SN; i++)
    for (int j = 0; j < COLUMNS; j++) {
      const double value = result[i / SN][i % SN][j];
      sum += value;
      if (value < 0 || value > 1) is_correct = 0;
      if (fabs(value - result[i / SN][i % SN][COLUMNS - 1 - j]) > 1e-12) is_correct = 0;
      if (i > 0 && value > result[(i - 1) / SN][(i - 1) % SN][j]) is_correct = 0;
    }
  printf("jacobi: mean %.15g, %s\n", sum / (PN * SN * COLUMNS), is_correct ? "correct" : "wrong");
  if (!is_correct) exit(1);
}

int main(void) {
  for (int p = 0; p < PN; p++) Start(u[0][p]);
  for (int t = 0; t < STEPS; t++)
    for (int p = 0; p < PN; p++)
      Sweep(p > 0 ? &u[t][p - 1][SN - 1] : &hot, u[t][p], p < PN - 1 ? &u[t][p + 1][0] : &cold, u[t + 1][p], SN,
            COLUMNS);
  Check(u[STEPS]);
  return 0;
}
