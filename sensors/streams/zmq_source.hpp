#pragma once
/// Frames or items over ZeroMQ.

#include <memory>

#include "sensors/streams/zmq_socket.hpp"
#include "sensors/transport/stream_source.hpp"

namespace takt::sensors {

struct ZmqSourceOptions : StreamOptions {
  ZmqOptions socket;
  ZmqFormat format = ZmqFormat::takt;
  FrameType type;
  /// It is an error when no good message came for this long at the start; 0: wait for ever.
  Time start_timeout{0};
  /// Of takt's frames: a longer step of their numbers begins a new epoch.
  Time longest_gap{10'000'000'000};
  std::uint32_t source = 0;
  /// Of PULL: whether the sender, which must keep frames for that (ZmqSinkOptions::keep), is asked for what
  /// has been missed.
  bool replays = false;
};

/// Throws OptionError.
void validate(const ZmqSourceOptions& options);

/// SUB or PULL. Of takt's framing the stream is over when the sender says so; items have no end. What ZeroMQ
/// dropped is told by frames' numbers, or by the items' where they are sent; items without numbers close up.
/// Where it replays, what comes twice is left out. Messages of another format than the source's, which their
/// first bytes tell, and messages that are no whole number of samples are refused; a source of which no
/// message was good throws WorkError with the causes after `start_timeout`, or when `idle_timeout` ends it.
class ZmqSource final : public StreamSource {
 public:
  /// Throws OptionError.
  explicit ZmqSource(const ZmqSourceOptions& options);
  ~ZmqSource() override;
  /// Asks the sender for what is behind it. What comes is the sender's to say all the same.
  [[nodiscard]] bool begin_behind(const StreamPlace& place) override;
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
