#pragma once
/// Loads pipelines from text.

#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {

/// Returns the pipeline of a file `p.yaml` with this text.
inline Pipeline load(const std::string& text, const std::vector<Override>& overrides = {}) {
  const takt::test::TemporaryFolder folder;
  return load_pipeline(folder.file("p.yaml", text), overrides);
}

/// Returns the errors in such a file, one per entry, with `p.yaml` for its path; none when it is valid.
inline std::vector<std::string> errors_in(const std::string& text,
                                          const std::vector<Override>& overrides = {}) {
  const takt::test::TemporaryFolder folder;
  const std::string path = folder.file("p.yaml", text);
  std::vector<std::string> errors;
  try {
    (void)load_pipeline(path, overrides);
    return errors;
  } catch (const ConfigError& error) {
    std::string all = error.what();
    for (std::size_t at; (at = all.find(path)) != std::string::npos;) all.replace(at, path.size(), "p.yaml");
    for (std::size_t at = 0, end; at <= all.size(); at = end + 1) {
      end = std::min(all.find('\n', at), all.size());
      errors.push_back(all.substr(at, end - at));
    }
    return errors;
  }
}

/// A valid pipeline, for tests that introduce one error.
inline const std::string good_pipeline = R"(name: good
sources:
  sensor: {type: synthetic, element: complex_float32, axes: [beamlet=4, time=128, polarisation=2], rate: 50 Hz}
tasks:
  spectrum: {kernel: fft, input: sensor, channels: 16}
  power: {kernel: stokes, input: spectrum}
sinks:
  out: {type: raw, input: power, path: out.raw}
)";

}  // namespace takt::pipeline::test
