#include "pipeline/runtime/channels/shared_channel.hpp"

#include <algorithm>
#include <cstring>

namespace takt::pipeline {

void SharedSendChannel::pass(const Envelope& envelope) {
  std::memcpy(message(sent()), &envelope, sizeof(envelope));
  ring_->publish(sent() + 1);
}

void SharedSendChannel::sleep_until_released(std::uint64_t released, std::int64_t latest_ns) {
  // A wake-up costs more than a small frame's work: a sleeping sender waits until half of the ring is free,
  // unless its receiver needs more messages at a time.
  const std::uint64_t left = std::max((depth() + 1) / 2, plan().least_depth - 1);
  const std::uint64_t wanted = sent() - std::min<std::uint64_t>(sent(), left);
  ring_->sleep_until_released(std::max(released + 1, wanted), latest_ns);
}

}  // namespace takt::pipeline
