#pragma once
/// Frames over TCP, in takt's framing.

#include <memory>
#include <string>

#include "sensors/stream_source.hpp"

namespace takt::sensors {

struct TcpSourceOptions : StreamOptions {
  TcpSourceOptions() { when_full = WhenFull::block; }
  FrameType type;
  /// `host:port` of the sender, which listens.
  std::string server;
  /// How long `start` waits for the sender to listen.
  Time connect_timeout{10'000'000'000};
  std::uint32_t source = 0;
  /// Whether the sender is asked for what has been missed: it keeps frames for that (TcpSinkOptions::keep).
  bool replays = false;
};

/// Throws OptionError.
void validate(const TcpSourceOptions& options);

/// The stream is over when the sender says so or closes. Where the pipeline is behind, `block` holds the
/// sender up, and `drop` drops new frames. Bytes that are no message end the stream with an error: there is
/// no place from which to go on.
class TcpSource final : public StreamSource {
 public:
  /// Throws OptionError.
  explicit TcpSource(const TcpSourceOptions& options);
  ~TcpSource() override;
  /// Asks the sender for what is behind it. What comes is the sender's to say all the same.
  [[nodiscard]] bool begin_behind(const StreamPlace& place) override;
  [[nodiscard]] SourceState poll(FrameView& frame) override;

 protected:
  void open() override;
  void receive() override;
  void finish(std::int64_t) override {}
  [[nodiscard]] SourceCounters counted() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
