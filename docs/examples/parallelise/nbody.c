/* N bodies that attract each other: PN groups of SN bodies, STEPS steps. In each step every group gathers the forces
   of every group, then moves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PN 4    /* groups */
#define SN 8    /* bodies of a group */
#define STEPS 3 /* steps */

struct body {
  double x[3], v[3], mass;
};

static struct body bodies[STEPS + 1][PN][SN];
static double forces[STEPS][PN][PN][SN][3];

void Place(struct body *group, int n, int first) {
  for (int i = 0; i < n; i++) {
    const double angle = 0.7 * (first + i);
    group[i] = (struct body){{cos(angle) * (1 + 0.1 * i), sin(angle), 0.01 * (first + i)}, {0, 0, 0}, 1 + i % 3};
  }
}

void Attract(const struct body *group, const struct body *others, double force[SN][3], int n) {
  for (int i = 0; i < n; i++) {
    force[i][0] = force[i][1] = force[i][2] = 0;
    for (int j = 0; j < n; j++) {
      double d[3], square = 0.01;
      for (int c = 0; c < 3; c++) {
        d[c] = others[j].x[c] - group[i].x[c];
        square += d[c] * d[c];
      }
      const double pull = group[i].mass * others[j].mass / (square * sqrt(square));
      for (int c = 0; c < 3; c++) force[i][c] += pull * d[c];
    }
  }
}

void Move(const struct body *group, const double force[PN][SN][3], struct body *moved, int n) {
  for (int i = 0; i < n; i++) {
    moved[i] = group[i];
    for (int p = 0; p < PN; p++)
      for (int c = 0; c < 3; c++) moved[i].v[c] += 0.001 * force[p][i][c] / group[i].mass;
    for (int c = 0; c < 3; c++) moved[i].x[c] += 0.001 * moved[i].v[c];
  }
}

/* Forces are mutual, so the momentum stays 0. */
void Check(const struct body result[PN][SN]) {
  double momentum[3] = {0, 0, 0};
  for (int i = 0; i < PN * SN; i++)
    for (int c = 0; c < 3; c++) momentum[c] += result[i / SN][i % SN].mass * result[i / SN][i % SN].v[c];
  const double error = fabs(momentum[0]) + fabs(momentum[1]) + fabs(momentum[2]);
  printf("n-body: body 0 at %.15g %.15g, %s\n", result[0][0].x[0], result[0][0].x[1],
         error < 1e-9 ? "correct" : "wrong");
  if (error >= 1e-9) exit(1);
}

int main(void) {
  for (int p = 0; p < PN; p++) Place(bodies[0][p], SN, p * SN);
  for (int t = 0; t < STEPS; t++) {
    for (int p = 0; p < PN; p++)
      for (int q = 0; q < PN; q++) Attract(bodies[t][p], bodies[t][q], forces[t][p][q], SN);
    for (int p = 0; p < PN; p++) Move(bodies[t][p], forces[t][p], bodies[t + 1][p], SN);
  }
  Check(bodies[STEPS]);
  return 0;
}
