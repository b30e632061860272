#include "pipeline/file_parameters.hpp"

#include "core/error.hpp"

namespace takt::pipeline {

std::vector<ParameterSpec> file_parameters(const std::vector<ParameterSpec>& own, const std::string& sync) {
  std::vector<ParameterSpec> all{
      {.name = "path",
       .type = ParameterType::output_file,
       .help = "file; %Y%m%dT%H%M%S in its name stands for the time of the first frame"},
      {.name = "overwrite",
       .type = ParameterType::boolean,
       .fallback = "false",
       .help = "whether to replace an existing file; otherwise takt refuses the run"},
      {.name = "rotate_size",
       .type = ParameterType::bytes,
       .fallback = "0",
       .help = "largest size of a file: then a new one begins; 0: no limit"},
      {.name = "rotate_every",
       .type = ParameterType::time,
       .fallback = "0",
       .help = "interval of UTC at which a new file begins; 0: none"},
      {.name = "sync",
       .type = ParameterType::time,
       .fallback = sync,
       .help = "interval of syncs to the disk; 0: when the file is closed"}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

sensors::OutputOptions output_options(const Parameters& parameters) {
  sensors::OutputOptions options{.path = parameters.text("path"),
                                 .overwrite = parameters.boolean("overwrite"),
                                 .rotate_size = parameters.bytes("rotate_size"),
                                 .rotate_every = parameters.time("rotate_every"),
                                 .sync = parameters.time("sync")};
  try {
    validate(options);
  } catch (const ConfigError& error) {
    parameters.refuse("path", error.what());
  }
  return options;
}

}  // namespace takt::pipeline
