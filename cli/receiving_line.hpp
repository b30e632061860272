#pragma once
/// Reports that the sources of a run are open.

#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::cli {

/// Returns the addresses of live sources: `127.0.0.1:16130`, `tcp://127.0.0.1:5555`; other sources are not
/// included.
[[nodiscard]] std::vector<std::string> places_of_reception(const pipeline::Pipeline& pipeline);

/// Prints `takt: receiving on 127.0.0.1:16130` once, when all live sources are open.
class ReceivingLine {
 public:
  explicit ReceivingLine(const pipeline::Pipeline& pipeline);
  void show(const pipeline::RunRecord& record, ProgressLine& progress);

 private:
  /// Stages of live sources.
  std::vector<std::size_t> sources_;
  std::vector<std::string> places_;
  bool is_shown_ = false;
};

}  // namespace takt::cli
