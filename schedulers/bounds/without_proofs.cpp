#include "schedulers/bounds/without_proofs.hpp"

namespace takt::schedulers {

Schedule without_proofs(Schedule schedule) {
  schedule.period_bound.reset();
  schedule.period_bound_among.clear();
  schedule.makespan_bound.reset();
  schedule.optimal = false;
  schedule.optimal_among.clear();
  return schedule;
}

}  // namespace takt::schedulers
