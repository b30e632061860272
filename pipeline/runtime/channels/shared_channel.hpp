#pragma once
/// Channels between ranks of one node: the sender writes messages into memory that the receiver reads,
/// without a copy. At most `depth` frames wait between two ranks.

#include <memory>

#include "pipeline/runtime/channels/channel.hpp"
#include "pipeline/runtime/channels/node_memory.hpp"
#include "pipeline/runtime/channels/ring.hpp"

namespace takt::pipeline {

/// Position of a channel's messages in the memory of the sender.
struct RingPlace {
  /// Offset of the Ring from the beginning of the memory; the messages follow the Ring.
  std::size_t offset = 0;
  std::size_t depth = 0;
  /// Bytes per message, a multiple of header_bytes.
  std::size_t stride = 0;

  [[nodiscard]] std::size_t bytes() const { return sizeof(Ring) + depth * stride; }
};

class SharedSendChannel final : public SendChannel {
 public:
  /// `memory` must outlive the channel.
  SharedSendChannel(const ChannelPlan& plan, const RingPlace& place, std::byte* memory)
      : SendChannel(plan),
        ring_(reinterpret_cast<Ring*>(memory + place.offset)),
        messages_(memory + place.offset + sizeof(Ring)),
        stride_(place.stride) {
    set_depth(place.depth);
  }

  [[nodiscard]] std::byte* message(std::uint64_t k) const override {
    return messages_ + k % depth() * stride_;
  }
  [[nodiscard]] std::uint64_t released() override { return ring_->released(); }
  [[nodiscard]] bool is_shared() const override { return true; }
  void sleep_until_released(std::uint64_t released, std::int64_t latest_ns) override;

 private:
  void pass(const Envelope& envelope) override;

  Ring* ring_;
  std::byte* messages_;
  std::size_t stride_;
};

class SharedReceiveChannel final : public ReceiveChannel {
 public:
  SharedReceiveChannel(const ChannelPlan& plan, const RingPlace& place, std::shared_ptr<NodeMemory> memory)
      : ReceiveChannel(plan),
        memory_(std::move(memory)),
        ring_(reinterpret_cast<Ring*>(memory_->begin() + place.offset)),
        messages_(memory_->begin() + place.offset + sizeof(Ring)),
        place_(place) {}

  [[nodiscard]] bool has_message() override {
    if (next_ < known_published_) return true;
    known_published_ = ring_->published();
    return next_ < known_published_;
  }
  [[nodiscard]] const std::byte* message() const override {
    return messages_ + next_ % place_.depth * place_.stride;
  }
  void take() override { ++next_; }
  void release() override { ring_->release(++released_); }
  [[nodiscard]] bool is_shared() const override { return true; }
  void sleep_until_message(std::int64_t latest_ns) override {
    ring_->sleep_until_published(next_ + 1, latest_ns);
  }

 private:
  std::shared_ptr<NodeMemory> memory_;
  Ring* ring_;
  const std::byte* messages_;
  RingPlace place_;
  /// The next message to read, and the messages released.
  std::uint64_t next_ = 0, released_ = 0;
  std::uint64_t known_published_ = 0;
};

}  // namespace takt::pipeline
