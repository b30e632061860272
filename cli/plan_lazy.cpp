/// `takt plan PROGRAM.c --lazy`: plans a C program call by call.

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/plan.hpp"
#include "core/error.hpp"
#include "pipeline/frontend/lazy/lazy_plan.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"

namespace takt::cli {

namespace {

/// Writes each placed call as a line of CSV.
class PlacedLines {
 public:
  PlacedLines(const std::string& file, const frontend::Program& program)
      : file_(file), out_(file, std::ios::binary), program_(program) {
    expect_written();
    text_ = "call,procedure,processor,start_ns,end_ns\n";
  }

  void add(std::uint64_t number, const frontend::Call& call, const frontend::Placement& placed) {
    constexpr std::size_t most_buffered = 1 << 16;
    fmt::format_to(std::back_inserter(text_), "{},{},{},{},{}\n", number, program_.procedure(call).name,
                   placed.processor.index(), placed.start.count(), placed.end.count());
    if (text_.size() >= most_buffered) write();
  }

  void finish() {
    write();
    out_.flush();
    expect_written();
  }

 private:
  void write() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
    expect_written();
  }

  /// A full disk ends the plan at once.
  void expect_written() const {
    if (!out_) throw ConfigError({file_}, fmt::format("cannot be written: {}", std::strerror(errno)));
  }

  std::string file_;
  std::ofstream out_;
  const frontend::Program& program_;
  std::string text_;
};

}  // namespace

int plan_lazy(const PlanArguments& arguments) {
  const std::string& name = arguments.graphs.front();
  if (!frontend::names_program(name))
    throw UsageError(fmt::format("--lazy needs a C program: '{}' is not one", name));
  check_output(arguments.output, {name, arguments.machine});
  const frontend::WeightedName weighted = frontend::weighted_name(name);
  if (weighted.profile)
    throw UsageError("--lazy estimates the works of calls: expected costs=FILE, not profile=FILE");
  const logp::Machine machine = read_machine(arguments.machine);
  frontend::ReadProgram program = frontend::parse_procedures(weighted.program);
  std::optional<PlacedLines> lines;
  frontend::OnPlaced on_placed;
  if (!arguments.output.empty()) {
    lines.emplace(arguments.output, program.program);
    on_placed = [&](std::uint64_t number, const frontend::Call& call, const frontend::Placement& placed) {
      lines->add(number, call, placed);
    };
  }
  const frontend::LazyPlan plan = frontend::plan_lazily(
      program, weighted.costs ? frontend::read_costs(*weighted.costs) : frontend::usual_costs(), machine,
      on_placed);
  if (lines) lines->finish();
  std::cout << (arguments.format == "json" ? to_json(plan, name) : to_text(plan, name));
  return 0;
}

}  // namespace takt::cli
