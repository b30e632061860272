#pragma once
/// A SeedLink server, version 3, that sends the supplied records to its clients.
///
/// HELLO, STATION STA NET, SELECT [LL]CCC (with ? for any character), DATA [hex], FETCH [hex], END, BYE. The
/// server answers each line by OK or ERROR; DATA and FETCH without a station begin immediately. Packets are
/// "SL", six hexadecimal digits, 512 bytes. Source: the SeedLink page of SeisComP's manual.

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
  /// The listening address; port 0 selects any free one.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  /// `NET.STA.LOC.CHA`; other stations are unknown.
  std::vector<std::string> channels;
  /// Number of latest records kept for clients that return or are slow.
  std::size_t keep = 16'384;
  /// How long to wait for slow clients.
  std::chrono::milliseconds patience{5000};
};

/// Serves on its own thread. `put` waits for a client that is so slow that its next record would be
/// discarded; without progress for `patience`, the client misses all records available then.
class SeedlinkServer final : public PacketOutlet {
 public:
  /// Throws ConfigError for an invalid address, WorkError if the port cannot be opened.
  explicit SeedlinkServer(const SeedlinkServerOptions& options);
  ~SeedlinkServer() override;

  /// Waits until this many clients have requested data, or `stop`.
  void wait_for_clients(std::size_t clients, const std::atomic<bool>& stop);
  /// Accepts a record of 512 bytes.
  void put(const LanePacket& packet) override;
  void flush() override {}
  /// Sends the rest, and END, to the clients that requested data; waits for them at most a minute.
  void finish(const std::atomic<bool>& stop);

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::uint64_t datagrams() const override;
  [[nodiscard]] std::uint64_t bytes() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
