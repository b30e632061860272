#pragma once
/// A parameter of a task that the user changes while the pipeline runs: `clean.sigma=5`.

#include <cstdint>
#include <string>
#include <string_view>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// One change, checked. Plain data, sent as JSON.
struct Change {
  /// From 1 on, in the order in which they are made (FrameHeader::change).
  std::uint32_t number = 0;
  std::size_t stage = 0;
  /// `clean` and `sigma`.
  std::string task, key;
  std::vector<std::string> texts;
  bool is_list = false;
  /// As it is written, and how it was.
  std::string value, old_value;

  [[nodiscard]] Parameters::Value written() const;
};

/// As one line of JSON, and back; throws ConfigError where the text is none.
[[nodiscard]] std::string to_text(const Change& change);
[[nodiscard]] Change change_from_text(std::string_view text);

/// The parameters of a task with this change made.
[[nodiscard]] Parameters with_change(const Pipeline& pipeline, const Parameters& parameters,
                                     const Change& change);

/// Checks the changes of a run, one after the other.
class Changes {
 public:
  /// As the run began.
  explicit Changes(Pipeline pipeline) : pipeline_(std::move(pipeline)) {}

  /// `task.key=value`, the value as in a pipeline file: `5`, `12 ms`, `[a, b]`. The next check takes it for
  /// made. Throws ConfigError where there is no such task or parameter (with the nearest name), where the
  /// parameter may not change, and where the kernel would not take the value, or give other frames with it.
  [[nodiscard]] Change check(std::string_view text);

  /// All parameters that may change, as `task.key`.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  [[nodiscard]] std::size_t find_task(std::string_view name) const;
  void check_parameter(std::size_t stage, const std::string& key) const;
  void check_kernel(std::size_t stage, const Parameters& parameters) const;

  Pipeline pipeline_;
  std::uint32_t made_ = 0;
};

}  // namespace takt::pipeline
