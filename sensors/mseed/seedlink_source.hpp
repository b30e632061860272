#pragma once
/// A source of live traces of seismic stations from a SeedLink server.

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
  /// Delay before a lost connection is re-established.
  Time reconnect{5'000'000'000};
  SeedlinkVersion version = SeedlinkVersion::newest;
};

/// Throws OptionError.
void validate(const SeedlinkOptions& options);

/// SeedLink over TCP, version 4 if the server offers it, otherwise 3 (seedlink_session.hpp). The source
/// reconnects after a failure, and each station continues after its last packet as far as the server still
/// has the data. Repeated records are counted and discarded.
class SeedlinkSource final : public StreamSource {
 public:
  /// Throws OptionError.
  explicit SeedlinkSource(const SeedlinkOptions& options);
  ~SeedlinkSource() override;

 protected:
  /// Throws WorkError if the server is unreachable, or refuses a station or a channel.
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
