/* A wave on a ring in one dimension: PN sections of SN points, STEPS steps. A section reads one point of each
   neighbour, found by indices modulo PN. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PN 4     /* sections */
#define SN 64    /* points of a section */
#define STEPS 16 /* steps */

static double wave[STEPS + 2][PN][SN];

void Start(double *section, int n, int first) {
  for (int i = 0; i < n; i++) section[i] = sin(6.283185307179586 * (first + i) / (PN * SN));
}

void Step(const double *left, const double *now, const double *right, const double *before, double *next, int n,
          double speed) {
  for (int i = 0; i < n; i++) {
    const double from_left = i > 0 ? now[i - 1] : *left, from_right = i < n - 1 ? now[i + 1] : *right;
    next[i] = 2 * now[i] - before[i] + speed * (from_left - 2 * now[i] + from_right);
  }
}

/* The sum over the ring stays 0. */
void Check(const double result[PN][SN]) {
  double sum = 0, largest = 0;
  for (int i = 0; i < PN * SN; i++) {
    sum += result[i / SN][i % SN];
    largest = fmax(largest, fabs(result[i / SN][i % SN]));
  }
  printf("stencil: largest value %.15g, %s\n", largest, fabs(sum) < 1e-9 && largest < 1.01 ? "correct" : "wrong");
  if (fabs(sum) >= 1e-9 || largest >= 1.01) exit(1);
}

int main(void) {
  for (int p = 0; p < PN; p++) {
    Start(wave[0][p], SN, p * SN);
    Start(wave[1][p], SN, p * SN);
  }
  for (int t = 1; t <= STEPS; t++)
    for (int p = 0; p < PN; p++)
      Step(&wave[t][(p + PN - 1) % PN][SN - 1], wave[t][p], &wave[t][(p + 1) % PN][0], wave[t - 1][p],
           wave[t + 1][p], SN, 0.25);
  Check(wave[STEPS + 1]);
  return 0;
}
