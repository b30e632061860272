#include "pipeline/frontend/execution/timed_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/frontend/execution/build.hpp"
#include "pipeline/frontend/generation/c_text.hpp"
#include "pipeline/frontend/generation/mpi_program.hpp"

namespace takt::frontend {

namespace {

Time from_seconds(double seconds) {
  return Time{std::llround(1e9 * seconds)};
}

}  // namespace

TimedRun times_from_text(std::string_view text, std::size_t ranks) {
  TimedRun run;
  std::vector<bool> is_known(ranks, false);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line(text.substr(begin, end - begin));
    begin = end + 1;
    std::size_t rank = 0;
    double whole = 0, computing = 0, communicating = 0;
    if (std::sscanf(line.c_str(), "rank %zu: %lf s, computing %lf s, communicating %lf s", &rank, &whole,
                    &computing, &communicating) != 4 ||
        rank >= ranks)
      continue;
    is_known[rank] = true;
    run.makespan = std::max(run.makespan, from_seconds(whole));
    run.computing += from_seconds(computing);
    run.communicating += from_seconds(communicating);
  }
  if (const auto missing = std::ranges::find(is_known, false); missing != is_known.end())
    throw WorkError(
        fmt::format("the program printed no times of rank {}", std::distance(is_known.begin(), missing)));
  return run;
}

TimedProgram::TimedProgram(const ReadProgram& program, const ParallelProgram& parallel)
    : name_(base_name(program.program)), ranks_(parallel.ranks.size()) {
  write_files(generate_mpi(program, parallel, {.origin = "Written for a measurement.", .times = true}),
              folder_.path() / "program", false);
  build_program(folder_.path() / "program");
}

TimedRun TimedProgram::run() const {
  const std::filesystem::path output = folder_.path() / "output.txt", errors = folder_.path() / "errors.txt";
  const int code =
      run_program(folder_.path() / "program", name_, ranks_, {.output = output, .errors = errors});
  if (code != 0)
    throw WorkError(fmt::format("{} on {} ranks ended with exit code {}:\n{}", name_, ranks_, code,
                                read_text_file(errors)));
  TimedRun run = times_from_text(read_text_file(errors), ranks_);
  run.output = read_text_file(output);
  return run;
}

std::string sequential_output(const ReadProgram& program) {
  const TemporaryFolder folder;
  const std::filesystem::path source = folder.path() / "program", output = folder.path() / "output.txt";
  const std::string name = base_name(program.program);
  write_files(generate_sequential(program), source, false);
  build_sequential(source / (name + ending_of(program.program)));
  const int code =
      run_command({(source / name).string()}, {.output = output, .errors = folder.path() / "errors.txt"});
  if (code != program.program.exit_code)
    throw WorkError(fmt::format("{} ended with exit code {}", program.program.source.name(), code));
  return read_text_file(output);
}

}  // namespace takt::frontend
