#pragma once
/// Frames over TCP, in takt's framing.

#include <memory>
#include <string>

#include "sensors/transport/stream_source.hpp"

namespace takt::sensors {

struct TcpSourceOptions : StreamOptions {
  TcpSourceOptions() { when_full = WhenFull::block; }
  FrameType type;
  /// `host:port` of the sender, which listens.
  std::string server;
  /// How long `start` waits for the sender to listen.
  Time connect_timeout{10'000'000'000};
  /// How long a connection that ends without the sender's end is made again; 0: the stream is over then.
  Time reconnect{0};
  /// A longer step of the frames' numbers begins a new epoch.
  Time longest_gap{10'000'000'000};
  std::uint32_t source = 0;
  /// Whether the sender is asked for what has been missed: it keeps frames for that (TcpSinkOptions::keep).
  bool replays = false;
};

/// Throws OptionError.
void validate(const TcpSourceOptions& options);

/// The stream is over when the sender says so. A connection that ends before that has cut the stream, which
/// is counted and told of, and is made again where that is asked for. Where the pipeline is behind, `block`
/// holds the sender up, and `drop` drops new frames. Bytes that are no message end the stream with an error:
/// there is no place from which to go on.
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
  void finish(std::int64_t now_ns) override;
  [[nodiscard]] SourceCounters counted() const override;
  [[nodiscard]] std::vector<std::string> warned() const override;

 private:
  class Impl;
  /// Until the connection is over; whether the stream is.
  [[nodiscard]] bool receive_connection();
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
