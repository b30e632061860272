#include "pipeline/c_program/register_calls.hpp"

#include <fmt/format.h>

#include "pipeline/c_program/call_kernel.hpp"
#include "pipeline/c_program/input_source.hpp"
#include "pipeline/c_program/output_sink.hpp"

namespace takt::pipeline {

void register_calls(KernelRegistry& registry, const std::string& path, const takt_program& program) {
  if (program.version != TAKT_PROGRAM_INTERFACE)
    throw ConfigError(
        fmt::format("the C program '{}' was written for interface {}, this takt has {}: write it again with "
                    "takt parallelise --pipeline",
                    path, program.version, TAKT_PROGRAM_INTERFACE));
  registry.add(call_kernel(path));
  registry.add_source(input_source(path));
  registry.add_sink(output_sink(path));
}

}  // namespace takt::pipeline
