#pragma once
/// Measures what the messages of generated programs cost on this computer.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"
#include "logp/machine.hpp"

namespace takt::frontend {

/// The times of a message of one size between two ranks of this computer.
struct MessageTime {
  Bytes size;
  /// Occupation of the sender, and of a receiver for which the message waits.
  Time send{0};
  Time receive{0};
  /// From the begin of the send to the end of a receive that has waited for it, while the sender computes.
  Time whole{0};
};

/// Compiles and runs a program of two ranks that sends and receives as generated programs do; returns the
/// shortest times for sizes from 8 bytes to 4 MiB, those that other processes disturb least. Takes about two
/// seconds. Throws WorkError without mpicc or mpirun.
[[nodiscard]] std::vector<MessageTime> measure_messages();

/// The times as text, a line for each size, and back. Throws ConfigError.
[[nodiscard]] std::string to_text(const std::vector<MessageTime>& times);
[[nodiscard]] std::vector<MessageTime> messages_from_text(std::string_view text);

/// Returns a machine of equal processors with these messages: overheads as measured, the rest of the whole
/// time as the latency, and in between the sizes straight lines. Larger messages never cost less.
[[nodiscard]] logp::Machine machine_with(const std::vector<MessageTime>& times, std::size_t processors);

}  // namespace takt::frontend
