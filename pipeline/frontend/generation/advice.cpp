#include "pipeline/frontend/generation/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/graphs/levels.hpp"
#include "pipeline/frontend/communication/prediction.hpp"
#include "pipeline/frontend/reading/task_graph.hpp"
#include "pipeline/frontend/weights/costs.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::frontend {

namespace {

/// Less is within the accuracy of costs: nothing is gained.
constexpr double least_gain = 1.05;

double ratio(Time a, Time b) {
  return static_cast<double>(a.count()) / std::max(1.0, static_cast<double>(b.count()));
}

Time sum_of(const std::vector<Time>& work) {
  Time sum{0};
  for (const Time each : work) sum += each;
  return sum;
}

/// The procedure that takes most of the longest path of calls.
struct PathShare {
  Time path{0};
  std::string procedure;
  Time in_procedure{0};
};

PathShare longest_path(const WeightedProgram& program) {
  const Program& read = program.read.program;
  const std::vector<Time> levels = static_levels(program.graph);
  std::optional<TaskId> at;
  for (const TaskId task : program.graph.tasks())
    if (!at || levels[task.index()] > levels[at->index()]) at = task;
  PathShare share{.path = at ? levels[at->index()] : Time{0}};
  std::map<std::string, Time> times;
  while (at) {
    times[read.procedure(read.calls[at->index()]).name] += program.work[at->index()];
    std::optional<TaskId> next;
    for (const EdgeId edge : program.graph.out_edges(*at)) {
      const TaskId to = program.graph.edge(edge).to;
      if (!next || levels[to.index()] > levels[next->index()]) next = to;
    }
    at = next;
  }
  for (const auto& [name, time] : times)
    if (time > share.in_procedure) share = {share.path, name, time};
  return share;
}

Time message_time(const logp::Machine& machine, std::uint64_t bytes) {
  const ProcessorId from(0), to(1);
  const Bytes size{bytes};
  return machine.send_overhead(from, to, size) + machine.latency(from, to, size) +
         machine.receive_overhead(from, to, size);
}

/// The procedures between which messages cost most, with one of their flows.
struct CostlyFlow {
  std::size_t example = 0;
  std::size_t count = 0;
  Time all{0};
};

std::optional<CostlyFlow> costly_flow(const Program& program, const logp::Machine& machine) {
  std::map<std::pair<ProcedureId, ProcedureId>, CostlyFlow> by_procedures;
  for (std::size_t i = 0; i < program.flows.size(); ++i) {
    const Flow& flow = program.flows[i];
    if (flow.to.empty()) continue;
    const auto [found, is_new] = by_procedures.try_emplace(
        {program.calls[flow.from.index()].procedure, program.calls[flow.to.front().index()].procedure},
        CostlyFlow{.example = i});
    ++found->second.count;
    found->second.all += message_time(machine, flow.size());
  }
  std::optional<CostlyFlow> most;
  for (const auto& [procedures, flow] : by_procedures)
    if (!most || flow.all > most->all) most = flow;
  return most;
}

/// The parameters of the program that are whole numbers: given ones and `#define NAME NUMBER`.
std::map<std::string, std::int64_t> whole_parameters(const Program& program) {
  std::map<std::string, std::int64_t> found;
  static const std::regex define(R"(#define\s+(\w+)\s+(\d{1,9})\b)");
  const std::string text = without_comments(program.source.text());
  for (std::sregex_iterator at(text.begin(), text.end(), define), end; at != end; ++at)
    found[(*at)[1].str()] = std::stoll((*at)[2].str());
  return found;
}

/// Tries other values of one parameter.
class GrainSearch {
 public:
  GrainSearch(const WeightedProgram& program, const logp::Machine& machine)
      : program_(program), machine_(machine) {
    const std::vector<Time> estimates = estimate_work(program.read, usual_costs());
    std::map<std::string, std::pair<Time, Time>> sums;
    const Program& read = program.read.program;
    for (std::size_t call = 0; call < read.calls.size(); ++call) {
      auto& [work, estimate] = sums[read.procedure(read.calls[call]).name];
      work += program.work[call];
      estimate += estimates[call];
    }
    for (const auto& [name, each] : sums) factors_[name] = ratio(each.first, each.second);
  }

  /// Returns `SN=64 would pay: 1.40 times as fast`, or that no value tried does; empty without a parameter
  /// for it.
  [[nodiscard]] std::string advice(bool for_larger_sections) {
    std::string none;
    for (const auto& [name, value] : whole_parameters(program_.read.program)) {
      std::int64_t last = value;
      for (std::int64_t tried = 2 * value; value > 0 && tried <= (std::int64_t{1} << 30); tried *= 2) {
        if (reads_ == 16) return none;
        const std::optional<WeightedProgram> other = with(name, tried);
        if (!other || !is_wanted(*other, for_larger_sections)) break;
        last = tried;
        const double gain = gain_of(*other);
        if (gain > least_gain)
          return fmt::format("; {}={} would pay: {:.2f} times as fast as one rank", name, tried, gain);
      }
      if (last > value) none += fmt::format("; {} up to {} does not pay", name, last);
    }
    return none;
  }

 private:
  [[nodiscard]] std::optional<WeightedProgram> with(const std::string& name, std::int64_t value) {
    ++reads_;
    ProgramName changed{.file = program_.read.program.source.name()};
    for (const std::string& each : program_.read.program.parameters) {
      const std::size_t equals = each.find('=');
      if (each.substr(0, equals) != name)
        changed.parameters.emplace_back(each.substr(0, equals), each.substr(equals + 1));
    }
    changed.parameters.emplace_back(name, fmt::format("{}", value));
    try {
      WeightedProgram other{.read = read_program(changed)};
      other.work = estimate_work(other.read, usual_costs());
      const Program& read = other.read.program;
      for (std::size_t call = 0; call < read.calls.size(); ++call) {
        const auto factor = factors_.find(read.procedure(read.calls[call]).name);
        if (factor == factors_.end()) continue;
        const double scaled = static_cast<double>(other.work[call].count()) * factor->second;
        other.work[call] = Time{std::max<Time::rep>(1, std::llround(scaled))};
      }
      other.graph = task_graph(read, other.work);
      return other;
    } catch (const ConfigError&) {
      return std::nullopt;  // The program does not allow this value.
    }
  }

  /// Larger sections: as many calls with more data. Otherwise: more calls, but not so many that this takes
  /// long.
  [[nodiscard]] bool is_wanted(const WeightedProgram& other, bool for_larger_sections) const {
    const auto bytes = [](const Program& program) {
      std::uint64_t sum = 0;
      for (const Flow& flow : program.flows) sum += flow.size();
      return sum;
    };
    const Program &mine = program_.read.program, &others = other.read.program;
    if (for_larger_sections) return others.calls.size() == mine.calls.size() && bytes(others) > bytes(mine);
    return others.calls.size() > mine.calls.size() && others.calls.size() <= 5000;
  }

  [[nodiscard]] double gain_of(const WeightedProgram& other) const {
    const Schedule schedule = schedulers::find_scheduler("heft").schedule(other.graph, machine_, {});
    const ParallelProgram parallel =
        insert_communication(other.read.program, assignment_of(other.read.program, schedule));
    return ratio(sum_of(other.work),
                 measure(predict_times(other.read.program, other.work, parallel, machine_)).makespan);
  }

  const WeightedProgram& program_;
  const logp::Machine& machine_;
  std::map<std::string, double> factors_;
  std::size_t reads_ = 0;
};

}  // namespace

std::string advice_of(const WeightedProgram& program, const logp::Machine& machine, Time predicted) {
  const double speed_up = ratio(sum_of(program.work), predicted);
  const std::size_t ranks = machine.processor_count();
  const bool gains = speed_up > least_gain;
  if (ranks == 1 || (gains && 2 * speed_up >= static_cast<double>(ranks))) return {};
  const std::string begin = gains ? "what limits: " : "nothing is gained: ";
  const PathShare path = longest_path(program);
  // The time without messages, and without dependences as well. If nothing is gained, messages limit as soon
  // as something could be gained without them; otherwise the larger loss limits.
  const Time all = sum_of(program.work), shared = all / static_cast<Time::rep>(ranks);
  const Time without_messages = std::max(path.path, shared);
  const bool messages_limit = gains ? predicted - without_messages > without_messages - shared
                                    : ratio(all, without_messages) > least_gain;
  const auto search = [&](bool for_larger_sections) {
    return gains ? std::string() : GrainSearch(program, machine).advice(for_larger_sections);
  };
  const Program& read = program.read.program;
  const std::optional<CostlyFlow> costly = costly_flow(read, machine);
  if (!costly || !messages_limit)
    return fmt::format("{}calls that depend on each other take {} one after another, {} of it in {}{}", begin,
                       to_string(path.path), to_string(path.in_procedure), path.procedure, search(false));
  const Flow& flow = read.flows[costly->example];
  const std::string from = read.procedure(read.calls[flow.from.index()]).name;
  return fmt::format(
      "{}messages; the {} from {} to {} cost most, as {} with {}: {} each, where a call takes {} on "
      "average{}",
      begin, costly->count, from, read.procedure(read.calls[flow.to.front().index()]).name, flow.text,
      to_string(Bytes{flow.size()}), to_string(message_time(machine, flow.size())),
      to_string(Time{sum_of(program.work).count() / static_cast<Time::rep>(read.calls.size())}),
      search(true));
}

}  // namespace takt::frontend
