#include "pipeline/frontend/lazy/lazy_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "core/pictures/text_table.hpp"

namespace takt::frontend {

namespace {

/// The second pass: places the calls and counts.
class Planner {
 public:
  Planner(const ReadProgram& program, const OperationCosts& costs, const logp::Machine& machine,
          LastUses uses)
      : program_(program.program),
        sections_(program_, std::move(uses)),
        estimator_(program, costs),
        schedule_(machine) {
    plan_.processors.resize(machine.processor_count());
  }

  [[nodiscard]] std::vector<Violation> add(const Call& call, const OnPlaced& on_placed) {
    std::vector<Violation> violations = sections_.read(call);
    if (!violations.empty()) return violations;
    const Time work = estimator_.work(call);
    Time path{0};
    for (const LiveSections::Input& input : sections_.inputs()) {
      const Made& made = made_[input.writer];
      schedule_.add_input(made.end, made.processor, Bytes{input.bytes});
      path = std::max(path, made.path);
    }
    const bool uses_environment = program_.procedure(call).uses_environment();
    const Placement placed =
        schedule_.place(work, uses_environment ? environment_ : std::optional<ProcessorId>{});
    if (uses_environment) environment_ = placed.processor;
    path += schedule_.shortest(work);
    count_messages(placed.processor);
    count(placed, work, path);
    std::optional<std::uint32_t> writer;
    violations = sections_.write(call, writer);
    if (writer) {
      if (*writer >= made_.size()) made_.resize(*writer + 1);
      made_[*writer] = {placed.end, path, placed.processor};
    }
    if (on_placed) on_placed(plan_.calls, call, placed);
    ++plan_.calls;
    return violations;
  }

  LazyPlan finish(const logp::Machine& machine) {
    const std::vector<double>& speeds = machine.platform().speeds;
    const double speed = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    plan_.makespan = schedule_.makespan();
    plan_.shared_work = Time{static_cast<Time::rep>(std::ceil(static_cast<double>(work_.count()) / speed))};
    plan_.most_live = sections_.writer_count();
    return std::move(plan_);
  }

 private:
  struct Made {
    Time end{0};
    /// The longest path of calls up to this one.
    Time path{0};
    ProcessorId processor;
  };

  void count_messages(ProcessorId to) {
    for (const LiveSections::Input& input : sections_.inputs()) {
      const ProcessorId from = made_[input.writer].processor;
      ++plan_.inputs;
      if (from == to || !sections_.is_first_transfer(input, static_cast<std::uint32_t>(to.index()))) continue;
      ++plan_.messages;
      plan_.bytes += input.bytes;
      ++plan_.processors[from.index()].sent;
      ++plan_.processors[to.index()].received;
    }
  }

  void count(const Placement& placed, Time work, Time path) {
    LazyPlan::Load& load = plan_.processors[placed.processor.index()];
    ++load.calls;
    load.busy += placed.end - placed.start;
    work_ += work;
    plan_.sequential += schedule_.shortest(work);
    plan_.critical_path = std::max(plan_.critical_path, path);
  }

  const Program& program_;
  LiveSections sections_;
  WorkEstimator estimator_;
  OnlineSchedule schedule_;
  std::vector<Made> made_;
  std::optional<ProcessorId> environment_;
  Time work_{0};
  LazyPlan plan_;
};

double speed_up_of(const LazyPlan& plan) {
  return static_cast<double>(plan.sequential.count()) /
         static_cast<double>(std::max<Time::rep>(1, plan.makespan.count()));
}

}  // namespace

LazyPlan plan_lazily(ReadProgram& program, const OperationCosts& costs, const logp::Machine& machine,
                     const OnPlaced& on_placed, BlockSizes sizes) {
  LastUses uses(sizes);
  visit_calls(program, false, [&](const Call& call) {
    uses.add(program.program, call);
    return std::vector<Violation>{};
  });
  Planner planner(program, costs, machine, std::move(uses));
  visit_calls(program, false, [&](const Call& call) { return planner.add(call, on_placed); });
  return planner.finish(machine);
}

std::string to_text(const LazyPlan& plan, std::string_view program) {
  const std::size_t count = plan.processors.size();
  const auto share = [&](Time busy) {
    return fmt::format("{:.1f} %", 100.0 * static_cast<double>(busy.count()) /
                                       static_cast<double>(std::max<Time::rep>(1, plan.makespan.count())));
  };
  std::string text = fmt::format(
      "{}: {} calls on {} processors, each placed as it was read (delay model)\n"
      "makespan {}; all calls on one processor {}: {:.2f} times as fast\n"
      "no plan is shorter than {} (longest path of calls) and {} (equal shares of the work)\n"
      "{} messages with {}, for {} inputs of calls; at most {} results were live at once\n\n",
      program, plan.calls, count, to_string(plan.makespan), to_string(plan.sequential), speed_up_of(plan),
      to_string(plan.critical_path), to_string(plan.shared_work), plan.messages, to_string(Bytes{plan.bytes}),
      plan.inputs, plan.most_live);
  TextTable table({{"processor", true},
                   {"calls", true},
                   {"busy", true},
                   {"share", true},
                   {"messages sent", true},
                   {"received", true}});
  for (std::size_t i = 0; i < count; ++i) {
    const LazyPlan::Load& load = plan.processors[i];
    table.add({fmt::format("{}", i), fmt::format("{}", load.calls), to_string(load.busy), share(load.busy),
               fmt::format("{}", load.sent), fmt::format("{}", load.received)});
  }
  return text + table.to_text();
}

std::string to_json(const LazyPlan& plan, std::string_view program) {
  nlohmann::ordered_json json{{"program", program},
                              {"calls", plan.calls},
                              {"inputs", plan.inputs},
                              {"makespan", plan.makespan.count()},
                              {"sequential", plan.sequential.count()},
                              {"speed_up", speed_up_of(plan)},
                              {"critical_path", plan.critical_path.count()},
                              {"shared_work", plan.shared_work.count()},
                              {"messages", plan.messages},
                              {"bytes", plan.bytes},
                              {"most_live", plan.most_live}};
  nlohmann::ordered_json& processors = json["processors"] = nlohmann::ordered_json::array();
  for (const LazyPlan::Load& load : plan.processors)
    processors.push_back({{"calls", load.calls},
                          {"busy", load.busy.count()},
                          {"sent", load.sent},
                          {"received", load.received}});
  return json_text(json);
}

}  // namespace takt::frontend
