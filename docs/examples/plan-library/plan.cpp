/// takt as a library: builds a task graph, schedules it for the highest frequency, and prints the result.

#include <iostream>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/registry/registry.hpp"

int main() {
  takt::TaskGraphBuilder builder;
  const takt::TaskId read = builder.add_task({.name = "read", .work = takt::Time(10)});
  const takt::DatumId samples = builder.add_datum(read, takt::Bytes{4});
  for (const char* name : {"left", "right"}) {
    const takt::TaskId filter = builder.add_task({.name = name, .work = takt::Time(30)});
    builder.add_edge(samples, filter);
  }
  const takt::TaskGraph graph = std::move(builder).build();

  const takt::logp::Machine machine = takt::logp::parse_machine("logp:P=2,L=1,o=1,g=2");
  const takt::schedulers::Evaluation evaluation =
      takt::schedulers::evaluate(takt::schedulers::find_scheduler("exact_fo"), graph, machine);
  std::cout << "period " << evaluation.figures.period() << ", valid " << evaluation.figures.valid << '\n';
}
