#include "cli/program_pipeline.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/frontend/execution/build.hpp"
#include "pipeline/frontend/generation/pipeline_project.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"

namespace takt::cli {

namespace {

constexpr const char* pipeline_name = "pipeline.yaml";

std::string origin_of(const std::string& program) {
  return fmt::format("Written by takt parallelise {} --pipeline.", program);
}

/// Throws UsageError for works of calls, which runs measure.
frontend::ReadProgram read_for_pipeline(const std::string& program) {
  const frontend::WeightedName name = frontend::weighted_name(program);
  if (name.costs || name.profile)
    throw UsageError(fmt::format("{} has no meaning for a pipeline: takt run measures the calls",
                                 name.costs ? "costs" : "profile"));
  return frontend::read_program(name.program);
}

}  // namespace

int write_pipeline(const std::string& program, const std::string& folder, std::size_t ranks,
                   bool overwrites) {
  const frontend::ReadProgram read = read_for_pipeline(program);
  const frontend::CallUnits units = frontend::call_units(read.program);
  const std::vector<frontend::GeneratedFile> files =
      frontend::generate_pipeline(read, units, {.origin = origin_of(program), .ranks = ranks});
  frontend::write_files(files, folder, overwrites);
  std::vector<std::string> names;
  for (const frontend::GeneratedFile& file : files) names.push_back(file.name);
  fmt::print("{}: {} calls; written to {}: {}\n", read.program.source.name(), read.program.calls.size(),
             folder, fmt::join(names, ", "));
  if (units.input)
    fmt::print("the successive inputs, which the program reads as stdin, belong in {}/{}\n", folder,
               frontend::inputs_name);
  fmt::print("make -C {0} compiles the calls; takt run {0}/{1} runs them\n", folder, pipeline_name);
  return 0;
}

ProgramPipeline::ProgramPipeline(const std::string& program) {
  const frontend::ReadProgram read = read_for_pipeline(program);
  const frontend::CallUnits units = frontend::call_units(read.program);
  output_ = frontend::output_name(read.program);
  frontend::write_files(frontend::generate_pipeline(read, units,
                                                    {.origin = origin_of(program),
                                                     .ranks = allowed_processors().size(),
                                                     .outputs = folder_.path().string() + "/"}),
                        folder_.path(), true);
  frontend::build_program(folder_.path());
  if (units.input)
    write_text_file(folder_.path() / frontend::inputs_name,
                    std::string(std::istreambuf_iterator<char>(std::cin), {}));
}

std::string ProgramPipeline::file() const {
  return (folder_.path() / pipeline_name).string();
}

void ProgramPipeline::print_output() const {
  std::ifstream output(folder_.path() / output_, std::ios::binary);
  if (output.peek() != std::ifstream::traits_type::eof()) std::cout << output.rdbuf() << std::flush;
}

}  // namespace takt::cli
