/* Fast Fourier transform of N = PN * SN points in PN sections: butterflies between sections (decimation in
   frequency), then a transform within each section. The result is in bit-reversed order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PN 4 /* sections, a power of two */
#define SN 2 /* points of a section, a power of two */
#define N (PN * SN)

typedef double point[2]; /* real and imaginary part */

/* data[i] is the input of the butterflies between sections at distance 1 << (i - 1). */
static point data[__builtin_ctz(PN) + 2][PN][SN];

/* The input: a signal that no symmetry simplifies. */
static double signal(int j) { return (j * 37 % 101) / 101.0 - 0.5; }

void Initiation(point input[PN][SN]) {
  for (int i = 0; i < PN; i++)
    for (int j = 0; j < SN; j++) {
      input[i][j][0] = signal(i * SN + j);
      input[i][j][1] = 0;
    }
}

void InterSum(const point *upper, const point *lower, point *sum, int n) {
  for (int j = 0; j < n; j++) {
    sum[j][0] = upper[j][0] + lower[j][0];
    sum[j][1] = upper[j][1] + lower[j][1];
  }
}

/* The difference of points, turned by the angle of the point at `offset` + j of a transform of `size` points. */
void InterTurn(const point *lower, const point *upper, point *turned, int n, int offset, int size) {
  for (int j = 0; j < n; j++) {
    const double angle = -6.283185307179586 * (offset + j) / size;
    const double c = cos(angle), s = sin(angle);
    const double re = upper[j][0] - lower[j][0], im = upper[j][1] - lower[j][1];
    turned[j][0] = re * c - im * s;
    turned[j][1] = re * s + im * c;
  }
}

void IntraMult(const point *input, point *result, int n) {
  for (int j = 0; j < n; j++) {
    result[j][0] = input[j][0];
    result[j][1] = input[j][1];
  }
  for (int half = n / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) {
      const double angle = -3.141592653589793 * k / half;
      const double c = cos(angle), s = sin(angle);
      for (int j = k; j < n; j += 2 * half) {
        const double re = result[j][0] - result[j + half][0], im = result[j][1] - result[j + half][1];
        result[j][0] += result[j + half][0];
        result[j][1] += result[j + half][1];
        result[j + half][0] = re * c - im * s;
        result[j + half][1] = re * s + im * c;
      }
    }
}

/* Compares some values with the definition of the transform. */
void OutputResult(const point result[PN][SN]) {
  double largest = 0;
  for (int k = 0; k < N; k += N / 8 > 0 ? N / 8 : 1) {
    double re = 0, im = 0;
    for (int j = 0; j < N; j++) {
      const double angle = -6.283185307179586 * (double)((long)j * k % N) / N;
      re += signal(j) * cos(angle);
      im += signal(j) * sin(angle);
    }
    int place = 0;
    for (int bit = 1; bit < N; bit *= 2) place = 2 * place + (k & bit ? 1 : 0);
    const double *found = result[place / SN][place % SN];
    largest = fmax(largest, fmax(fabs(found[0] - re), fabs(found[1] - im)));
  }
  printf("fft: %d points, value 1 is %.12g %+.12gi, %s\n", N, result[PN / 2][0][0], result[PN / 2][0][1],
         largest < 1e-9 * N ? "correct" : "wrong");
  if (largest >= 1e-9 * N) exit(1);
}

int main(void) {
  Initiation(data[__builtin_ctz(PN) + 1]);
  for (int i = __builtin_ctz(PN); i >= 1; i--) {
    const int half = 1 << (i - 1);
    for (int j = 0; j < PN; j += 2 * half)
      for (int k = 0; k < half; k++) {
        InterSum(data[i + 1][j + k], data[i + 1][j + k + half], data[i][j + k], SN);
        InterTurn(data[i + 1][j + k + half], data[i + 1][j + k], data[i][j + k + half], SN, k * SN,
                  2 * half * SN);
      }
  }
  for (int i = 0; i < PN; i++) IntraMult(data[1][i], data[0][i], SN);
  OutputResult(data[0]);
  return 0;
}
