#include "pipeline/frontend/generation/pipeline_project.hpp"

#include <fmt/format.h>

#include "pipeline/frontend/generation/c_text.hpp"
#include "pipeline/frontend/generation/calls_text.hpp"
#include "pipeline/frontend/reading/sections_header.hpp"

namespace takt::frontend {

namespace {

std::string library_text(const ReadProgram& program, const CallUnits& units, const std::string& origin) {
  std::string text =
      fmt::format("/* The calls of {} for takt: make, then takt run pipeline.yaml.\n   {} */\n",
                  base_name(program.program), origin);
  text += parameters_text(program);
  text +=
      "#include <stdlib.h>\n#include <string.h>\n#include <takt/program.h>\n\n"
      "/* The program's arrays lie in frames: those below have initial values only. */\n"
      "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n\n";
  text += procedures_text(program);
  text += variables_text(program);
  return text + calls_text(program, units);
}

std::string library_makefile(const std::string& name, const std::string& ending) {
  const bool is_c = ending == ".c";
  return fmt::format(R"({2} = {3}
{4} = -O2 -Wall -Wextra -ffp-contract=off -I.
LDLIBS = -lm

{0}.so: {0}{1}
	$({2}) $({4}) -fPIC -fvisibility=hidden -shared -o $@ $< $(LDLIBS)

run: {0}.so
	takt run pipeline.yaml

clean:
	rm -f {0}.so

.PHONY: run clean
)",
                     name, ending, is_c ? "CC" : "CXX", is_c ? "cc" : "c++", is_c ? "CFLAGS" : "CXXFLAGS");
}

std::string library_cmake(const std::string& name, const std::string& ending) {
  return fmt::format(R"(cmake_minimum_required(VERSION 3.13)
project({0} {1})
add_library({0} MODULE {0}{2})
target_include_directories({0} PRIVATE ${{CMAKE_CURRENT_SOURCE_DIR}})
target_compile_options({0} PRIVATE -Wall -Wextra -ffp-contract=off -fvisibility=hidden)
target_link_libraries({0} PRIVATE m)
set_target_properties({0} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${{CMAKE_CURRENT_SOURCE_DIR}})
)",
                     name, ending == ".c" ? "C" : "CXX", ending);
}

/// Returns a text of YAML.
std::string quoted(std::string text) {
  for (std::size_t i = 0; (i = text.find('\'', i)) != std::string::npos; i += 2) text.insert(i, "'");
  return "'" + text + "'";
}

std::string yaml_text(const Program& program, const CallUnits& units, const PipelineOptions& options) {
  const std::string name = base_name(program);
  std::string tasks, sinks;
  bool reads_input = units.input && units.units[*units.input].is_read;
  const auto inputs_of = [&](const CallUnit& unit) {
    std::string list;
    for (const std::size_t input : unit.inputs) list += (list.empty() ? "" : ", ") + units.units[input].name;
    return list.empty() ? "input" : list;
  };
  for (std::size_t i = 0; i < units.units.size(); ++i) {
    const CallUnit& unit = units.units[i];
    if (i != units.input && unit.inputs.empty()) reads_input = true;
    if (i == units.input || i == units.output) continue;
    tasks += fmt::format("  {0}: {{kernel: c_call, call: {0}, inputs: [{1}]}}  # line {2}\n", unit.name,
                         inputs_of(unit),
                         program.source.locate(program.calls[unit.calls.front().index()].place).line);
    if (unit.is_read) continue;
    sinks += unit.results.empty()
                 ? fmt::format("  {0}-end: {{type: null, input: {0}}}\n", unit.name)
                 : fmt::format("  {0}-result: {{type: raw, input: {0}, path: {1}}}\n", unit.name,
                               quoted(fmt::format("{}{}-{}.raw", options.outputs, name, unit.name)));
  }
  if (!reads_input) sinks += "  input-end: {type: null, input: input}\n";
  if (units.output) {
    const bool is_gathered = gathered_frames(units).bytes > 0;
    const std::string inputs = inputs_of(units.units[*units.output]);
    if (is_gathered)
      tasks += fmt::format("  {0}: {{kernel: c_call, call: {0}, inputs: [{1}]}}\n", gathering_name, inputs);
    sinks +=
        fmt::format("  output: {{type: c_output, input: {}, path: {}}}\n",
                    is_gathered ? gathering_name : inputs, quoted(options.outputs + output_name(program)));
  }
  return fmt::format(R"(# {} as a pipeline: each frame is one input of the program. {}
name: {}
plugins: [{}]
sources:
  input: {}
tasks:{}
{}sinks:
{}deployment: {{ranks: {}}}
)",
                     name, options.origin, quoted(name), quoted(name + ".so"),
                     units.input ? fmt::format("{{type: c_input, file: {}}}", inputs_name)
                                 : "{type: synthetic, element: uint8, axes: [byte=1]}",
                     tasks.empty() ? " {}" : "", tasks, sinks, options.ranks);
}

}  // namespace

std::string output_name(const Program& program) {
  return base_name(program) + ".txt";
}

std::vector<GeneratedFile> generate_pipeline(const ReadProgram& program, const CallUnits& units,
                                             const PipelineOptions& options) {
  const std::string name = base_name(program.program), ending = ending_of(program.program);
  std::vector<GeneratedFile> files{{name + ending, library_text(program, units, options.origin)},
                                   {"pipeline.yaml", yaml_text(program.program, units, options)},
                                   {"Makefile", library_makefile(name, ending)},
                                   {"CMakeLists.txt", library_cmake(name, ending)},
                                   {std::string(program_header_name), std::string(program_header)}};
  add_headers(program, files);
  return files;
}

}  // namespace takt::frontend
