#include "cli/program_costs.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "pipeline/frontend/execution/call_times.hpp"
#include "pipeline/frontend/execution/message_times.hpp"
#include "pipeline/frontend/generation/c_text.hpp"
#include "pipeline/frontend/generation/mpi_program.hpp"
#include "pipeline/frontend/generation/parallelise.hpp"
#include "pipeline/frontend/weights/call_profile.hpp"
#include "pipeline/planning/run_cache.hpp"

namespace takt::cli {

using pipeline::Kept;
using pipeline::RunCache;

namespace {

frontend::WeightedProgram read_c_program(const std::string& name) {
  if (!frontend::names_program(name))
    throw UsageError(fmt::format("'{}' is not a C program: expected FILE.c or FILE.c:NAME=VALUE,...", name));
  return frontend::load_program(name);
}

void print_notes(const frontend::WeightedProgram& program) {
  for (const std::string& note : program.notes) fmt::print(stderr, "takt: note: {}\n", note);
}

/// Returns what an earlier command has kept, or measures and keeps it. A damaged entry is measured anew.
template <class Value, class Parse, class Measure, class Write>
Value kept_or_measured(Kept kind, const std::string& key, const std::string& subject, bool is_fresh,
                       const Parse& parse, const Measure& measure, const Write& write) {
  const RunCache cache;
  if (!is_fresh)
    if (const std::optional<std::string> text = cache.find(kind, key)) {
      try {
        return parse(*text);
      } catch (const ConfigError&) {
      }
    }
  Value value = measure();
  cache.keep(kind, key, subject, write(value));
  return value;
}

}  // namespace

frontend::WeightedProgram load_c_program(const std::string& name) {
  frontend::WeightedProgram program = read_c_program(name);
  print_notes(program);
  return program;
}

frontend::WeightedProgram load_measured(const std::string& name, bool is_fresh) {
  frontend::WeightedProgram program = read_c_program(name);
  if (program.origin == frontend::WorkOrigin::usual) {
    // The measuring program has all that the times depend on.
    std::vector<std::string> texts;
    for (const frontend::GeneratedFile& file : frontend::generate_profiler(program.read))
      texts.push_back(file.text);
    const frontend::Program& read = program.read.program;
    frontend::set_measured_work(
        program,
        kept_or_measured<std::vector<Time>>(
            Kept::calls, pipeline::cache_key(texts), frontend::base_name(read), is_fresh,
            [&](const std::string& text) { return frontend::call_profile_from_yaml(text, name, read); },
            [&] { return frontend::measure_calls(program.read); },
            [&](const std::vector<Time>& times) { return frontend::call_profile_to_yaml(read, times); }));
  }
  print_notes(program);
  return program;
}

logp::Machine measured_machine(const std::string& machine, std::size_t ranks, bool is_fresh) {
  if (!machine.empty() || ranks == 1 || allowed_processors().size() == 1)
    return frontend::machine_for(machine, ranks);
  using Times = std::vector<frontend::MessageTime>;
  const auto times = kept_or_measured<Times>(
      Kept::messages, pipeline::cache_key({frontend::message_helpers()}), "messages of C programs", is_fresh,
      [](const std::string& text) { return frontend::messages_from_text(text); },
      [] { return frontend::measure_messages(); }, [](const Times& each) { return frontend::to_text(each); });
  return frontend::machine_with(times, ranks);
}

}  // namespace takt::cli
