#include "pipeline/frontend/generation/parallelise.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/program_commands.hpp"
#include "cli/program_costs.hpp"
#include "cli/program_pipeline.hpp"
#include "core/error.hpp"
#include "core/pictures/text_table.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/frontend/execution/build.hpp"
#include "pipeline/frontend/execution/call_times.hpp"
#include "pipeline/frontend/generation/c_text.hpp"
#include "pipeline/frontend/reading/command.hpp"
#include "pipeline/frontend/weights/call_profile.hpp"
#include "pipeline/frontend/weights/costs.hpp"
#include "schedulers/plan/goal.hpp"

namespace takt::cli {

namespace {

struct ParalleliseArguments {
  std::string program, machine, scheduler{schedulers::automatic}, output;
  std::size_t ranks = allowed_processors().size();
  double time_limit = 10;
  bool lists = false, times = false, overwrites = false, is_unpacked = false, is_json = false,
       measures = false, repeats = false, is_pipeline = false;
};

std::vector<frontend::GeneratedFile> generate(const frontend::WeightedProgram& program,
                                              const frontend::ParallelPlan& plan, const std::string& name,
                                              bool times, bool repeats) {
  return frontend::generate_mpi(
      program.read, plan.parallel,
      {.origin = fmt::format("Written by takt parallelise {} with the scheduler {}.", name, plan.scheduler),
       .times = times,
       .repeats = repeats});
}

int parallelise(const ParalleliseArguments& arguments) {
  try {
    if (arguments.is_pipeline) {
      if (arguments.output.empty())
        throw UsageError("--output DIR is required: the folder of the pipeline and its calls");
      return write_pipeline(arguments.program, arguments.output, arguments.ranks, arguments.overwrites);
    }
    const frontend::WeightedProgram program =
        arguments.measures ? load_measured(arguments.program, false) : load_c_program(arguments.program);
    const logp::Machine machine = arguments.measures
                                      ? measured_machine(arguments.machine, arguments.ranks, false)
                                      : frontend::machine_for(arguments.machine, arguments.ranks);
    const frontend::ParallelPlan plan =
        frontend::plan_parallel(program, machine,
                                {.scheduler = arguments.scheduler,
                                 .time_limit = arguments.time_limit,
                                 .insertion = {.packs = !arguments.is_unpacked},
                                 .repeats = arguments.repeats});
    if (arguments.lists) {
      std::cout << frontend::listing(program.read.program, plan.parallel,
                                     frontend::usual_rank_names(arguments.ranks));
      if (arguments.output.empty()) return 0;
    }
    if (arguments.output.empty()) throw UsageError("--output DIR is required: the folder of the MPI program");
    const std::vector<frontend::GeneratedFile> files =
        generate(program, plan, arguments.program, arguments.times, arguments.repeats);
    frontend::write_files(files, arguments.output, arguments.overwrites);
    std::cout << frontend::plan_text(program, plan);
    std::vector<std::string> names;
    for (const frontend::GeneratedFile& file : files) names.push_back(file.name);
    fmt::print("written to {}: {}; make run starts it\n", arguments.output, fmt::join(names, ", "));
    return 0;
  } catch (const frontend::ProgramError& error) {
    if (arguments.is_json) std::cout << error.json();
    throw;
  }
}

/// Refuses options that only pipelines have.
void check_words(const Command& given, std::initializer_list<std::string_view> known) {
  for (const std::string& word : given.words()) {
    const std::string option = word.substr(0, word.find('='));
    if (option.starts_with("-") && std::ranges::find(known, option) == known.end())
      throw UsageError(
          fmt::format("{} is not valid for a C program: expected {}", option, fmt::join(known, " ")));
  }
}

}  // namespace

int run_program(const ProgramRun& run, const Command& given) {
  check_words(given, {"--ranks", "--scheduler", "--machine", "--progress", "--fresh"});
  const frontend::WeightedProgram program = load_measured(run.program, run.is_fresh);
  const std::size_t ranks = run.ranks.value_or(allowed_processors().size());
  const frontend::ParallelPlan plan = frontend::plan_parallel(
      program, measured_machine(run.machine, ranks, run.is_fresh),
      // A run should start soon: seconds of planning pay for programs that takt parallelise writes once.
      {.scheduler = run.scheduler.empty() ? std::string(schedulers::automatic) : run.scheduler,
       .time_limit = 1});
  std::cerr << frontend::plan_text(program, plan);
  if (const std::size_t processors = allowed_processors().size(); ranks > processors)
    fmt::print(stderr, "the prediction is for a processor for each rank; this computer has {}\n", processors);
  const frontend::TemporaryFolder folder;
  frontend::write_files(generate(program, plan, run.program, false, false), folder.path(), true);
  frontend::build_program(folder.path());
  return frontend::run_program(folder.path(), frontend::base_name(program.read.program), ranks);
}

int profile_program(const std::string& name, const std::string& output, const Command& given) {
  check_words(given, {"--output", "-o"});
  expect_writable(output);
  const frontend::WeightedProgram program = load_c_program(name);
  const frontend::Program& read = program.read.program;
  const std::vector<Time> times = frontend::measure_calls(program.read);
  TextTable table({{"procedure"}, {"calls", true}, {"measured", true}, {"estimated", true}, {"ratio", true}});
  Time total{0};
  for (std::size_t i = 0; i < read.procedures.size(); ++i) {
    Time measured{0}, estimated{0};
    std::size_t calls = 0;
    for (std::size_t call = 0; call < read.calls.size(); ++call) {
      if (read.calls[call].procedure.index() != i) continue;
      ++calls;
      measured += times[call];
      estimated += program.work[call];
    }
    total += measured;
    table.add({read.procedures[i].name, fmt::format("{}", calls), to_string(measured), to_string(estimated),
               fmt::format("{:.2f}",
                           static_cast<double>(measured.count()) / static_cast<double>(estimated.count()))});
  }
  fmt::print("{}all calls on one processor: {}, the shortest of several runs\n", table.to_text(),
             to_string(total));
  if (!output.empty()) write_output(output, frontend::call_profile_to_yaml(read, times));
  return 0;
}

void declare_parallelise(Command& command) {
  auto arguments = std::make_shared<ParalleliseArguments>();
  command.add("program", arguments->program, "A sequential C program with its parameters: fft.c:PN=8,SN=4")
      .value("PROGRAM")
      .required();
  command.number("-P,--ranks", arguments->ranks, "Number of ranks", {1, 4096})
      .fallback("one for each processor of this computer");
  add_machine_option(command, arguments->machine,
                     "Machine to schedule for; default: usual costs of messages inside one computer");
  std::vector<std::string> schedulers = scheduler_names();
  schedulers.insert(schedulers.begin(), std::string(schedulers::automatic));
  command
      .add("--scheduler", arguments->scheduler,
           "Scheduler (see takt list schedulers), or auto: the best of them")
      .value("NAME")
      .suggest(std::move(schedulers))
      .fallback("auto");
  command.number("--time-limit", arguments->time_limit, "Time limit of auto for each scheduler", {0.001, 1e6})
      .value("SECONDS")
      .fallback("10");
  command.add("-o,--output", arguments->output, "Folder for the C program, its Makefile and CMakeLists.txt")
      .value("DIR");
  command.flag("--list", arguments->lists, "Print calls, sends and receives of each rank");
  command.flag("--unpacked", arguments->is_unpacked, "One message for each section: join none");
  command.flag(
      "--repeat", arguments->repeats,
      "Plan for the highest throughput on successive inputs: the program's argument is their number, "
      "and ranks work on different ones at once. The program needs no takt");
  command
      .flag("--pipeline", arguments->is_pipeline,
            "Write the program as a pipeline of takt, instead of an MPI program: a library of its calls and "
            "pipeline.yaml, for takt run. Each frame is one input")
      .excludes({"--machine", "--scheduler", "--time-limit", "--list", "--unpacked", "--repeat", "--times",
                 "--measure"});
  command.flag("--times", arguments->times,
               "Insert statements that measure each rank's computation, and print them to stderr at the end");
  command.flag(
      "--measure", arguments->measures,
      "Plan with times of the calls and of messages that are measured on this computer, and kept (takt "
      "list cache)");
  command.flag("--overwrite", arguments->overwrites, "Replace files in the folder");
  command.flag("--json", arguments->is_json, "Print errors of the program also as JSON, on stdout");
  command.note(
      "PROGRAM calls procedures on sections of arrays in main, with loops and conditions that are known "
      "before it runs "
      "(docs/how-to/parallelise.md). costs=FILE or profile=FILE among the parameters sets the works of "
      "calls; takt "
      "profile PROGRAM measures them. takt run PROGRAM compiles and runs at once.");
  command.note("Exit code: 0 done, 2 the program or an option is wrong.");
  command.example("takt parallelise docs/examples/parallelise/fft.c:PN=8,SN=64 -P 4 -o fft-mpi");
  command.example("takt parallelise docs/examples/parallelise/figure2.c -P 3 --list");
  command.example("takt parallelise docs/examples/parallelise/fft.c:PN=8 --repeat -o fft-mpi");
  command.example("takt parallelise docs/examples/parallelise/fft.c:PN=8 --pipeline -o fft");
  command.does([arguments] { return parallelise(*arguments); });
}

}  // namespace takt::cli
