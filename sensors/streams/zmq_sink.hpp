#pragma once
/// Frames or items over ZeroMQ.

#include <memory>

#include "core/saved_state.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/sink.hpp"
#include "sensors/streams/zmq_socket.hpp"

namespace takt::sensors {

struct ZmqSinkOptions {
  ZmqOptions socket;
  ZmqFormat format = ZmqFormat::takt;
  /// Of PUSH, what happens to a frame when no receiver has room; PUB always drops.
  WhenFull when_full = WhenFull::drop;
  /// Of PUSH: so much memory for the last frames, for a receiver that asks for what it has missed; 0: none.
  Bytes keep{0};
};

/// Throws OptionError.
void validate(const ZmqSinkOptions& options);

/// PUB or PUSH. A receiver that is slow or away holds nobody up, unless PUSH may not drop. As GNU Radio's
/// items the elements of a frame are sent as they lie, in one message; of missing frames `gnuradio_tags`
/// tells the gap, and the other formats do not. Where frames are kept there is one receiver, which must ask
/// for frames (ZmqSourceOptions::replays); zmq_replay.hpp tells how it goes.
class ZmqSink final : public Sink {
 public:
  /// Throws OptionError.
  ZmqSink(const ZmqSinkOptions& options, const FrameType& type);
  ~ZmqSink() override;

  void open() override;
  void write(const FrameView& frame) override;
  /// Waits up to five seconds for what has not been sent.
  void close() override;
  /// Nothing to go on with: what is sent again is sent twice.
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override { return saved(); }
  [[nodiscard]] std::string location() const override;
  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
