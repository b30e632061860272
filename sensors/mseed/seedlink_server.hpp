#pragma once
/// A server's side of SeedLink, version 3: what is put is sent to whoever asks for it.
///
/// HELLO, STATION STA NET, SELECT [LL]CCC (with ? for any letter), DATA [hex], FETCH [hex], END, BYE; a line
/// of each is answered by OK or ERROR, DATA and FETCH without a station begin at once. Packets are "SL", six
/// hexadecimal digits, 512 bytes. Source: the SeedLink page of SeisComP's manual.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

struct SeedlinkServerOptions {
  /// Where it listens; port 0 takes any free one.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  /// `NET.STA.LOC.CHA`; other stations are not known.
  std::vector<std::string> channels;
  /// The last records are kept for clients that come back, or are slow.
  std::size_t keep = 16'384;
  /// How long those are waited for that are slow.
  std::chrono::milliseconds patience{5000};
};

/// Serves on a thread of its own. `put` waits for a client that is so slow that what it has not got would no
/// longer be kept; where nothing moves for `patience`, the client misses all that there is by then.
class SeedlinkServer final : public PacketOutlet {
 public:
  /// Throws ConfigError for an address that is none, WorkError when the port cannot be opened.
  explicit SeedlinkServer(const SeedlinkServerOptions& options);
  ~SeedlinkServer() override;

  /// Until so many clients have asked for data, or `stop`.
  void wait_for_clients(std::size_t clients, const std::atomic<bool>& stop);
  /// A record of 512 bytes.
  void put(const LanePacket& packet) override;
  void flush() override {}
  /// Sends the rest, and END, to whoever has asked for data; waits a minute for them to have it at most.
  void finish(const std::atomic<bool>& stop);

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::uint64_t datagrams() const override;
  [[nodiscard]] std::uint64_t bytes() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
