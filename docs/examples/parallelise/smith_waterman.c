/* Local alignment of two sequences (Smith and Waterman) by blocks: each block needs the last row of the block above,
   the last column of the block to the left, and the corner between them. */
#include <stdio.h>
#include <stdlib.h>

#define PN 4  /* blocks in each direction */
#define SN 16 /* letters of a block */

struct scores {
  int row[SN], column[SN], corner, best;
};

/* The block above block [0][j] and left of block [i][0] has scores of 0. */
static struct scores blocks[PN + 1][PN + 1];

static int letter(int sequence, int i) { return (i * i * (3 + sequence) + 7 * i) % 4; }

static int larger(int a, int b) { return a > b ? a : b; }

void Edge(struct scores *edge) {
  for (int i = 0; i < SN; i++) edge->row[i] = edge->column[i] = 0;
  edge->corner = edge->best = 0;
}

void Align(const struct scores *above, const struct scores *left, const struct scores *corner, struct scores *result,
           int first_row, int first_column) {
  int above_row[SN + 1], best = 0;
  above_row[0] = corner->corner;
  for (int j = 0; j < SN; j++) above_row[j + 1] = above->row[j];
  for (int i = 0; i < SN; i++) {
    int diagonal = above_row[0];
    above_row[0] = left->column[i];
    for (int j = 0; j < SN; j++) {
      const int match = letter(0, first_row + i) == letter(1, first_column + j) ? 2 : -1;
      const int score =
          larger(larger(0, diagonal + match), larger(above_row[j], above_row[j + 1]) - 1);
      diagonal = above_row[j + 1];
      above_row[j + 1] = score;
      best = larger(best, score);
    }
    result->column[i] = above_row[SN];
  }
  for (int j = 0; j < SN; j++) result->row[j] = above_row[j + 1];
  result->corner = above_row[SN];
  result->best = larger(best, larger(above->best, left->best));
}

/* The whole table at once has the same best score. */
void Check(const struct scores *last) {
  enum { n = PN * SN };
  static const int rows = n;
  int(*table)[n + 1] = calloc(n + 1, sizeof *table), best = 0;
  for (int i = 1; i <= rows; i++)
    for (int j = 1; j <= rows; j++) {
      const int match = letter(0, i - 1) == letter(1, j - 1) ? 2 : -1;
      table[i][j] = larger(larger(0, table[i - 1][j - 1] + match), larger(table[i - 1][j], table[i][j - 1]) - 1);
      best = larger(best, table[i][j]);
    }
  free(table);
  printf("smith-waterman: %d letters, best score %d, %s\n", rows, last->best, last->best == best ? "correct" : "wrong");
  if (last->best != best) exit(1);
}

int main(void) {
  for (int i = 0; i <= PN; i++) Edge(&blocks[i][0]);
  for (int j = 1; j <= PN; j++) Edge(&blocks[0][j]);
  for (int i = 1; i <= PN; i++)
    for (int j = 1; j <= PN; j++)
      Align(&blocks[i - 1][j], &blocks[i][j - 1], &blocks[i - 1][j - 1], &blocks[i][j], (i - 1) * SN, (j - 1) * SN);
  Check(&blocks[PN][PN]);
  return 0;
}
