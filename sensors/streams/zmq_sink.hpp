#pragma once
/// A sink of frames or items over ZeroMQ.

#include <memory>

#include "core/saved_state.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/sink.hpp"
#include "sensors/streams/zmq_socket.hpp"

namespace takt::sensors {

struct ZmqSinkOptions {
  ZmqOptions socket;
  ZmqFormat format = ZmqFormat::takt;
  /// For PUSH, the action if no receiver has space; PUB always drops.
  WhenFull when_full = WhenFull::drop;
  /// For PUSH: memory for the last frames, for receivers that request missed ones; 0: none.
  Bytes keep{0};
};

/// Throws OptionError.
void validate(const ZmqSinkOptions& options);

/// A PUB or PUSH socket. A slow or absent receiver causes no back-pressure, unless PUSH may not drop. As GNU
/// Radio items, the elements of a frame are sent unchanged in one message; only `gnuradio_tags` shows the
/// gaps of missing frames. If frames are kept, there is one receiver, which must request frames
/// (ZmqSourceOptions::replays); see zmq_replay.hpp.
class ZmqSink final : public Sink {
 public:
  /// Throws OptionError.
  ZmqSink(const ZmqSinkOptions& options, const FrameType& type);
  ~ZmqSink() override;

  void open() override;
  void write(const FrameView& frame) override;
  /// Waits up to five seconds for unsent messages.
  void close() override;
  /// Has no state to continue from: repeated frames are sent twice.
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override { return saved(); }
  [[nodiscard]] std::string location() const override;
  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
