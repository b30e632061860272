#include "pipeline/frontend/execution/call_times.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/frontend/execution/build.hpp"
#include "pipeline/frontend/generation/c_text.hpp"

namespace takt::frontend {

namespace {

/// Reads one run's times: that of the clock alone, then that of each call.
std::vector<Time> read_times(const std::filesystem::path& file, const ReadProgram& program) {
  std::ifstream lines(file);
  std::vector<Time> times;
  Time::rep clock = 0, measured = 0;
  lines >> clock;
  while (times.size() < program.program.calls.size() && lines >> measured)
    times.push_back(std::max(Time{1}, Time{measured - clock}));
  if (times.size() < program.program.calls.size())
    throw WorkError(fmt::format("{}: a measured time is missing", program.program.source.name()));
  return times;
}

}  // namespace

std::vector<Time> measure_calls(const ReadProgram& program, const CallTimesOptions& options) {
  const TemporaryFolder folder;
  const std::filesystem::path source = folder.path() / "program", times = folder.path() / "times.txt";
  const std::string name = base_name(program.program);
  write_files(generate_profiler(program), source, false);
  build_sequential(source / (name + ending_of(program.program)));
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Time> shortest;
  Time least{std::numeric_limits<Time::rep>::max()};
  for (std::size_t run = 0; run < std::max<std::size_t>(1, options.runs); ++run) {
    if (run > 0 && std::chrono::steady_clock::now() - begin > options.budget) break;
    const int code =
        run_command({(source / name).string(), times.string()},
                    {.output = folder.path() / "output.txt", .errors = folder.path() / "errors.txt"});
    if (code != 0)
      throw WorkError(fmt::format("{} ended with exit code {} when it was measured",
                                  program.program.source.name(), code));
    std::vector<Time> found = read_times(times, program);
    const Time whole = std::accumulate(found.begin(), found.end(), Time{0});
    if (whole >= least) continue;
    least = whole;
    shortest = std::move(found);
  }
  return shortest;
}

}  // namespace takt::frontend
