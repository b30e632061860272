/* Sorts numbers in PN blocks: each block by itself, then neighbours merge and split in PN rounds (odd-even
   transposition). */
#include <stdio.h>
#include <stdlib.h>
#include <takt/sections.h>

#define PN 4   /* blocks */
#define SN 256 /* numbers of a block */

static int block[PN][SN];

void Fill(int *numbers, int n, unsigned seed) {
  for (int i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    numbers[i] = (int)(seed >> 8);
  }
}

void Sort(takt_inout int *numbers, int n) {
  for (int gap = n / 2; gap > 0; gap /= 2)
    for (int i = gap; i < n; i++)
      for (int j = i - gap; j >= 0 && numbers[j] > numbers[j + gap]; j -= gap) {
        const int larger = numbers[j];
        numbers[j] = numbers[j + gap];
        numbers[j + gap] = larger;
      }
}

/* The smaller half of both goes to `low`. */
void MergeSplit(takt_inout int *low, takt_inout int *high, int n) {
  int *merged = malloc(2 * sizeof(int) * (size_t)n);
  for (int i = 0, j = 0; i + j < 2 * n;) {
    const int takes_low = j == n || (i < n && low[i] <= high[j]);
    merged[i + j] = takes_low ? low[i] : high[j];
    if (takes_low)
      i++;
    else
      j++;
  }
  for (int i = 0; i < n; i++) {
    low[i] = merged[i];
    high[i] = merged[n + i];
  }
  free(merged);
}

void Check(const int numbers[PN][SN]) {
  long long sum = 0;
  int is_sorted = 1;
  for (int i = 0; i < PN * SN; i++) {
    sum += numbers[i / SN][i % SN];
    if (i > 0 && numbers[(i - 1) / SN][(i - 1) % SN] > numbers[i / SN][i % SN]) is_sorted = 0;
  }
  printf("sort: %d numbers, least %d, sum %lld, %s\n", PN * SN, numbers[0][0], sum, is_sorted ? "correct" : "wrong");
  if (!is_sorted) exit(1);
}

int main(void) {
  for (int i = 0; i < PN; i++) {
    Fill(block[i], SN, 17u * (unsigned)i + 1);
    Sort(block[i], SN);
  }
  for (int round = 0; round < PN; round++)
    for (int i = round % 2; i + 1 < PN; i += 2) MergeSplit(block[i], block[i + 1], SN);
  Check(block);
  return 0;
}
