/* The program of figure 2 of the CASCH paper (IEEE Concurrency 8(4), 2000): multiplications of data points
   between PN sections, then within each of them. The figure's operation @ on elements is a sum here. */
#include <stdio.h>
#include <stdlib.h>

#define PN 4 /* sections, a power of two */
#define SN 2 /* points of a section, a power of two */
#define LEVELS (__builtin_ctz(PN))

typedef double point[2];

/* data[LEVELS + 1] is the input, data[0] the result. */
static point data[8][PN][SN];

void Initiation(point input[PN][SN]) {
  for (int i = 0; i < PN; i++)
    for (int j = 0; j < SN; j++) {
      input[i][j][0] = i * SN + j;
      input[i][j][1] = 1;
    }
}

void InterMult(const point *first, const point *second, point *result, int n) {
  for (int i = 0; i < n; i++) {
    result[i][0] = 0.5 * first[i][0] + 0.5 * second[i][0];
    result[i][1] = first[i][1] + second[i][1];
  }
}

void IntraMult(const point *input, point *result, int n) {
  for (int j = 0; j < n; j++) {
    result[j][0] = input[j][0];
    result[j][1] = input[j][1];
  }
  for (int half = n / 2; half > 0; half = half / 2)
    for (int j = 0; j < n; j += 2 * half)
      for (int k = 0; k < half; k++)
        for (int c = 0; c < 2; c++) {
          const double a = result[j + k][c], b = result[j + k + half][c];
          result[j + k][c] = a + b;
          result[j + k + half][c] = b + a;
        }
}

/* The first number of every element is the mean of all points times SN, the second one their count. */
void OutputResult(const point result[PN][SN]) {
  for (int i = 0; i < PN; i++)
    for (int j = 0; j < SN; j++)
      if (result[i][j][1] != PN * SN || result[i][j][0] != 0.5 * (PN * SN - 1) * SN) {
        printf("wrong result at %d, %d: %g %g\n", i, j, result[i][j][0], result[i][j][1]);
        exit(1);
      }
  printf("figure 2: %d points, each %g and %g\n", PN * SN, result[0][0][0], result[0][0][1]);
}

int main(void) {
  Initiation(data[LEVELS + 1]);
  for (int i = LEVELS; i >= 1; i--)
    for (int j = 0; j < PN; j += 1 << i)
      for (int k = 0; k < 1 << (i - 1); k++) {
        const int half = 1 << (i - 1);
        InterMult(data[i + 1][j + k], data[i + 1][j + k + half], data[i][j + k], SN);
        InterMult(data[i + 1][j + k + half], data[i + 1][j + k], data[i][j + k + half], SN);
      }
  for (int i = 0; i < PN; i++) IntraMult(data[1][i], data[0][i], SN);
  OutputResult(data[0]);
  return 0;
}
