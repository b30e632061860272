#include "pipeline/runtime/channels/shared_channel.hpp"

#include <algorithm>
#include <cstring>

namespace takt::pipeline {

void SharedSendChannel::hand_over(const Envelope& envelope) {
  std::memcpy(message(sent()), &envelope, sizeof(envelope));
  ring_->publish(sent() + 1);
}

void SharedSendChannel::sleep_until_released(std::uint64_t released, std::int64_t latest_ns) {
  // A wake-up costs more than a small frame's work: a sleeping sender waits until half of the ring is free.
  const std::uint64_t half = sent() - std::min<std::uint64_t>(sent(), (depth() + 1) / 2);
  ring_->sleep_until_released(std::max(released + 1, half), latest_ns);
}

}  // namespace takt::pipeline
