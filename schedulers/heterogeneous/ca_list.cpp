#include "schedulers/heterogeneous/ca_list.hpp"

#include "schedulers/network/mh.hpp"

namespace takt::schedulers {

Schedule ca_list(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Schedule schedule = mh(graph, machine, options);
  schedule.scheduler = "ca_list";
  return schedule;
}

}  // namespace takt::schedulers
