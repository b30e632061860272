#pragma once
/// Options for faults of `takt send`, and reports of the injected faults.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "sensors/emulator/emulator.hpp"

namespace takt::cli {

struct SendFaultArguments {
  sensors::Faults faults;
  std::string jitter;
  std::vector<std::string> pauses, clock_jumps, lane_swaps;

  /// Throws ConfigError with the option and the valid values.
  [[nodiscard]] sensors::Faults all_faults() const;
  [[nodiscard]] sensors::SenderEvents events() const;
};

void add_fault_options(Command& command, SendFaultArguments& arguments);

/// Returns a line about the requested faults; empty without any. `causes` as in PacketCodec::causes.
[[nodiscard]] std::string describe_faults(const sensors::EmulatorOptions& options,
                                          const sensors::EmulatorReport& report,
                                          std::span<const std::string_view> causes);
void add_faults(nlohmann::ordered_json& json, const sensors::EmulatorReport& report,
                std::span<const std::string_view> causes);

}  // namespace takt::cli
