#pragma once
/// Chains of kernels on one rank compared with bare loops: the pipelines, and a loop for each.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace takt::bench {

/// The same computation as a chain of kernels, over plain arrays of one shape: without frames, headers,
/// missing data or parameters; blocks of data stay in the caches between two steps.
class Loop {
 public:
  Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  virtual ~Loop() = default;

  /// Processes one frame of the source.
  virtual void run(const std::byte* frame) = 0;
  /// Returns its last result, which must be that of `ChainCase::result`.
  [[nodiscard]] virtual std::span<const float> result() const = 0;
};

struct ChainCase {
  std::string name;
  /// A file of `configs/`, or empty, and then the text of the pipeline.
  std::string file, text;
  /// The task whose output the loop also has.
  std::string result;
  /// The frames of one result.
  std::size_t frames = 1;
  std::function<std::unique_ptr<Loop>()> make_loop;
};

[[nodiscard]] std::vector<ChainCase> chain_cases();

/// Loops of the pipelines of `configs/`.
[[nodiscard]] std::unique_ptr<Loop> spectrometer_loop();
[[nodiscard]] std::unique_ptr<Loop> rfi_loop();
[[nodiscard]] std::unique_ptr<Loop> pulsar_loop();
[[nodiscard]] std::unique_ptr<Loop> correlator_loop();

}  // namespace takt::bench
