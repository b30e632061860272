#include "logp/goal.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace takt::logp {

namespace {

/// Returns a machine's costs if LogGOPSim supports them: one set of constant costs, equal for both sides.
std::optional<LinkCosts> constant_costs(const Machine& machine) {
  auto occurring = machine.occurring_costs();
  const LinkCosts costs = occurring.empty() ? LinkCosts{} : occurring.front();
  const bool alike = std::ranges::all_of(occurring, [&](const LinkCosts& other) { return other == costs; });
  auto is_constant = [](const Cost& cost) {
    return cost.segments().size() == 1 && cost.segments().front().per_byte == 0;
  };
  const bool fits = alike && is_constant(costs.latency) && costs.latency.at(Bytes{1}) >= Time{0} &&
                    is_constant(costs.send_overhead) && costs.send_overhead == costs.receive_overhead &&
                    is_constant(costs.send_gap) && costs.send_gap == costs.receive_gap;
  return fits ? std::optional(costs) : std::nullopt;
}

std::string heading(const Machine& machine, const Schedule& schedule) {
  std::string text = fmt::format("// schedule of takt's {}\n", schedule.scheduler);
  if (!schedule.hops.empty())
    return text + "// the messages pass the links of a network: LogGOPSim has no exact counterpart\n";
  if (const auto costs = constant_costs(machine))
    return text + fmt::format("// LogGOPSim -L {} -o {} -g {} -G 0 -O 0 -S 1000000000 -f FILE.bin\n",
                              costs->latency.at(Bytes{1}).count(), costs->send_overhead.at(Bytes{1}).count(),
                              costs->send_gap.at(Bytes{1}).count());
  return text +
         "// the machine's costs depend on size, level, pair or direction, or a latency is below 0: "
         "LogGOPSim "
         "has no exact counterpart\n";
}

}  // namespace

std::string to_goal(const Machine& machine, const Schedule& schedule) {
  std::string text = heading(machine, schedule);
  text += fmt::format("num_ranks {}\n", schedule.processors.size());
  for (std::size_t p = 0; p < schedule.processors.size(); ++p) {
    text += fmt::format("\nrank {} {{\n", p);
    const std::vector<Operation>& operations = schedule.processors[p];
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const Operation& operation = operations[i];
      if (operation.kind == OperationKind::compute) {
        text += fmt::format("l{}: calc {}\n", i + 1, (operation.end - operation.start).count());
      } else {
        const bool is_send = operation.kind == OperationKind::send;
        const Message& message = schedule.message(operation.message());
        text +=
            fmt::format("l{}: {} {}b {} {} tag {}\n", i + 1, is_send ? "send" : "recv", message.size.count,
                        is_send ? "to" : "from", (is_send ? message.to : message.from).index(),
                        schedule.messages.size() * operation.instance + operation.subject);
      }
      if (i > 0) text += fmt::format("l{} requires l{}\n", i + 1, i);
    }
    text += "}\n";
  }
  return text;
}

}  // namespace takt::logp
