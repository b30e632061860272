#pragma once
/// A source of frames or items over ZeroMQ.

#include <memory>

#include "sensors/streams/zmq_socket.hpp"
#include "sensors/transport/stream_source.hpp"

namespace takt::sensors {

struct ZmqSourceOptions : StreamOptions {
  ZmqOptions socket;
  ZmqFormat format = ZmqFormat::takt;
  FrameType type;
  /// Reception fails if no valid message arrives within this time at the start; 0: waits indefinitely.
  Time start_timeout{0};
  /// For takt's frames: a longer step of their numbers begins a new epoch.
  Time longest_gap{10'000'000'000};
  std::uint32_t source = 0;
  /// For PULL: whether to request missed frames from the sender, which must keep them
  /// (ZmqSinkOptions::keep).
  bool replays = false;
};

/// Throws OptionError.
void validate(const ZmqSourceOptions& options);

/// A SUB or PULL socket. With takt's framing the stream ends at the sender's end message; items have no end.
/// Frame numbers, or item numbers if sent, reveal messages dropped by ZeroMQ; items without numbers close the
/// gap. With replay, repeated messages are discarded. Messages with the first bytes of another format, and
/// messages that are not a whole number of samples, are refused. If no message was valid, the source throws
/// WorkError with the causes after `start_timeout`, or when `idle_timeout` ends it.
class ZmqSource final : public StreamSource {
 public:
  /// Throws OptionError.
  explicit ZmqSource(const ZmqSourceOptions& options);
  ~ZmqSource() override;
  /// Requests the data after the place from the sender, which decides what it sends.
  [[nodiscard]] bool resume_after(const StreamPlace& place) override;
  [[nodiscard]] SourceState poll(FrameView& frame) override;

 protected:
  void open() override;
  void receive() override;
  void finish(std::int64_t now_ns) override;
  [[nodiscard]] SourceCounters counted() const override;
  [[nodiscard]] std::vector<std::string> warned() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
