#pragma once
/// Checks parameter changes that the user makes during a run, such as `clean.sigma=5`.

#include <cstdint>
#include <string>
#include <string_view>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// One change, checked. Plain data, sent as JSON.
struct Change {
  /// Counted from 1 in the order of the changes (FrameHeader::change).
  std::uint32_t number = 0;
  std::size_t stage = 0;
  /// `clean` and `sigma`.
  std::string task, key;
  std::vector<std::string> texts;
  bool is_list = false;
  /// The new and the old value as a user writes them.
  std::string value, old_value;

  [[nodiscard]] Parameters::Value written() const;
};

/// Converts a change to one line of JSON and back; throws ConfigError for an invalid text.
[[nodiscard]] std::string to_text(const Change& change);
[[nodiscard]] Change change_from_text(std::string_view text);

/// Returns the parameters of a task after this change.
[[nodiscard]] Parameters with_change(const Pipeline& pipeline, const Parameters& parameters,
                                     const Change& change);

/// Checks the changes of a run in their order.
class Changes {
 public:
  /// `pipeline`: the pipeline at the start of the run.
  explicit Changes(Pipeline pipeline) : pipeline_(std::move(pipeline)) {}

  /// Checks `task.key=value`, with the value as in a pipeline file: `5`, `12 ms`, `[a, b]`; later checks
  /// assume it was made. Throws ConfigError for an unknown task or parameter (with the nearest name), for a
  /// parameter that may not change, and if the kernel rejects the value or would change its frame type.
  [[nodiscard]] Change check(std::string_view text);

  /// Returns all parameters that may change, as `task.key`.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  [[nodiscard]] std::size_t find_task(std::string_view name) const;
  void check_parameter(std::size_t stage, const std::string& key) const;
  void check_kernel(std::size_t stage, const Parameters& parameters) const;

  Pipeline pipeline_;
  std::uint32_t made_ = 0;
};

}  // namespace takt::pipeline
