#include "pipeline/frontend/generation/parallelise.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "logp/timing.hpp"
#include "pipeline/frontend/generation/c_text.hpp"
#include "pipeline/frontend/reading/command.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::frontend {

namespace {

/// Messages between processes of one computer: half a microsecond at either end and in between, 5 GB/s.
std::string usual_machine(std::size_t ranks) {
  return fmt::format("loglinear:P={},L=500+0.1,o=500+0.1", ranks);
}

logp::Machine machine_of(const ParallelOptions& options) {
  if (options.machine.empty()) return logp::parse_machine(usual_machine(options.ranks));
  const logp::Machine machine = logp::parse_machine(options.machine);
  if (machine.processor_count() == options.ranks) return machine;
  if (machine.processor_count() < options.ranks)
    throw ConfigError(fmt::format("--machine {}: has {} processors, fewer than {} ranks", options.machine,
                                  machine.processor_count(), options.ranks));
  std::vector<ProcessorId> first;
  for (const ProcessorId processor : ids<ProcessorId>(options.ranks)) first.push_back(processor);
  return machine.subset(first);
}

/// Says why ranks gain little.
std::string advice_of(const WeightedProgram& program, const logp::Machine& machine,
                      const ParallelPlan& plan) {
  const std::size_t ranks = machine.processor_count();
  const double speed_up = static_cast<double>(plan.sequential.count()) /
                          static_cast<double>(std::max<Time::rep>(1, plan.predicted.count()));
  if (ranks == 1 || speed_up > 1.05) return {};
  const Program& read = program.read.program;
  const double mean = static_cast<double>(plan.sequential.count()) / static_cast<double>(read.calls.size());
  double message = 0;
  for (const Flow& flow : read.flows)
    message +=
        static_cast<double>((machine.latency(ProcessorId(0), ProcessorId(1), Bytes{flow.size()}) +
                             machine.send_overhead(ProcessorId(0), ProcessorId(1), Bytes{flow.size()}) +
                             machine.receive_overhead(ProcessorId(0), ProcessorId(1), Bytes{flow.size()}))
                                .count()) /
        static_cast<double>(read.flows.size());
  const auto longest = std::ranges::max_element(program.work) - program.work.begin();
  const std::string name = read.procedure(read.calls[static_cast<std::size_t>(longest)]).name;
  if (message > mean)
    return fmt::format(
        "nothing is gained: a message takes {} on average, a call {}; larger sections pay from about {:.0f} "
        "times the work of a call",
        to_string(Time{static_cast<Time::rep>(message)}), to_string(Time{static_cast<Time::rep>(mean)}),
        std::ceil(2 * message / std::max(1.0, mean)));
  return fmt::format(
      "nothing is gained: the calls depend on each other one after another; the longest is {} with {}", name,
      to_string(program.work[static_cast<std::size_t>(longest)]));
}

}  // namespace

ParallelPlan plan_parallel(const WeightedProgram& program, const ParallelOptions& options) {
  const logp::Machine machine = machine_of(options);
  schedulers::Goal goal{.objective = schedulers::Objective::makespan, .scheduler = options.scheduler};
  goal.time_limit.emplace(options.time_limit);
  schedulers::check(goal);
  const schedulers::Plan plan = schedulers::make_plan(program.graph, machine, goal);
  const Program& read = program.read.program;

  ParallelPlan result{.scheduler = plan.evaluation.schedule.scheduler};
  Assignment assignment = assignment_of(read, plan.evaluation.schedule);
  logp::Allocation allocation{.order = std::vector<std::vector<TaskId>>(options.ranks)};
  for (std::size_t rank = 0; rank < options.ranks; ++rank)
    for (const CallId call : assignment.ranks[rank]) allocation.order[rank].emplace_back(call.index());
  result.predicted = measure(logp::time_task_messages(program.graph, machine, allocation)).makespan;
  for (const Time work : program.work) result.sequential += work;
  result.parallel = insert_communication(read, std::move(assignment), options.insertion);
  for (const Transfer& transfer : result.parallel.transfers)
    for (const FlowId flow : transfer.flows) result.bytes += read.flows[flow.index()].size();
  result.advice = advice_of(program, machine, result);
  return result;
}

std::string plan_text(const WeightedProgram& program, const ParallelPlan& plan) {
  const double speed_up = static_cast<double>(plan.sequential.count()) /
                          static_cast<double>(std::max<Time::rep>(1, plan.predicted.count()));
  std::string text =
      fmt::format("{}: {} calls on {} ranks by {}, {} messages with {}\n", program.read.program.source.name(),
                  program.read.program.calls.size(), plan.parallel.ranks.size(), plan.scheduler,
                  plan.parallel.transfers.size(), to_string(Bytes{plan.bytes}));
  text += fmt::format("predicted: {}; on one rank {}: {:.2f} times as fast\n", to_string(plan.predicted),
                      to_string(plan.sequential), speed_up);
  if (!plan.advice.empty()) text += plan.advice + "\n";
  return text;
}

void write_files(const std::vector<GeneratedFile>& files, const std::filesystem::path& folder,
                 bool overwrites) {
  for (const GeneratedFile& file : files)
    if (!overwrites && std::filesystem::exists(folder / file.name))
      throw ConfigError(
          fmt::format("{} exists: choose another folder, or --overwrite", (folder / file.name).string()));
  for (const GeneratedFile& file : files) {
    std::filesystem::create_directories((folder / file.name).parent_path());
    write_text_file(folder / file.name, file.text);
  }
}

void build_program(const std::filesystem::path& folder) {
  const TemporaryFolder messages;
  const std::filesystem::path output = messages.path() / "output.txt",
                              errors = messages.path() / "errors.txt";
  const int code = run_command({"make", "-C", folder.string()}, {output, errors});
  if (code == 127) throw WorkError("make is not installed: it builds the generated program");
  if (code != 0)
    throw WorkError(fmt::format("the generated program in {} cannot be compiled:\n{}", folder.string(),
                                read_text_file(errors)));
}

int run_program(const std::filesystem::path& folder, const std::string& name, std::size_t ranks,
                const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"mpirun",          "-n",        fmt::format("{}", ranks),
                                 "--oversubscribe", "--bind-to", "none"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.push_back((folder / name).string());
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int code = run_command(words);
  if (code == 127) throw WorkError("mpirun is not installed: it runs the generated program");
  return code;
}

std::vector<Time> measure_calls(const ReadProgram& program, std::size_t runs) {
  const TemporaryFolder folder;
  const std::filesystem::path source = folder.path() / "program", errors = folder.path() / "errors.txt";
  write_files(generate_profiler(program), source, false);
  const std::string name = base_name(program.program);
  const int compiled = run_command({"cc", "-O2", "-w", "-ffp-contract=off", "-I" + source.string(), "-o",
                                    (source / name).string(), (source / (name + ".c")).string(), "-lm"},
                                   {folder.path() / "output.txt", errors});
  if (compiled == 127) throw WorkError("cc is not installed: it compiles the program to be measured");
  if (compiled != 0)
    throw WorkError(
        fmt::format("{} cannot be compiled:\n{}", program.program.source.name(), read_text_file(errors)));
  std::vector<Time> shortest(program.program.calls.size(), Time{std::numeric_limits<Time::rep>::max()});
  for (std::size_t run = 0; run < runs; ++run) {
    const std::filesystem::path times = folder.path() / "times.txt";
    const int code =
        run_command({(source / name).string(), times.string()}, {folder.path() / "output.txt", errors});
    if (code != 0)
      throw WorkError(fmt::format("{} ended with exit code {} when it was measured",
                                  program.program.source.name(), code));
    std::ifstream lines(times);
    for (Time& time : shortest) {
      Time::rep measured = 0;
      if (!(lines >> measured))
        throw WorkError(fmt::format("{}: a measured time is missing", program.program.source.name()));
      time = std::min(time, std::max(Time{1}, Time{measured}));
    }
  }
  return shortest;
}

}  // namespace takt::frontend
