#pragma once
/// Traces of seismic stations, live from a SeedLink server.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sensors/mseed/seedlink_session.hpp"
#include "sensors/mseed/trace_joiner.hpp"
#include "sensors/transport/stream_source.hpp"

namespace takt::sensors {

struct SeedlinkOptions : StreamOptions {
  /// `host:port`.
  std::string server;
  /// `NET.STA.LOC.CHA`, in the order of a frame's channels.
  std::vector<std::string> channels;
  TraceGrid grid;
  /// How long to wait before a connection that was lost is made again.
  Time reconnect{5'000'000'000};
  SeedlinkVersion version = SeedlinkVersion::newest;
};

/// Throws OptionError.
void validate(const SeedlinkOptions& options);

/// SeedLink by TCP, version 4 where the server offers it, otherwise 3 (seedlink_session.hpp). A connection
/// that breaks is made again, and each station goes on behind its last packet, as long as the server still
/// has what comes there; records that come twice are counted and not used.
class SeedlinkSource final : public StreamSource {
 public:
  /// Throws OptionError.
  explicit SeedlinkSource(const SeedlinkOptions& options);
  ~SeedlinkSource() override;

 protected:
  /// Throws WorkError when there is no server, or it refuses a station or a channel.
  void open() override;
  void receive() override;
  void finish(std::int64_t now_ns) override;
  [[nodiscard]] SourceCounters counted() const override;
  [[nodiscard]] std::vector<std::string> warned() const override;

 private:
  class Client;
  std::unique_ptr<Client> client_;
};

}  // namespace takt::sensors
