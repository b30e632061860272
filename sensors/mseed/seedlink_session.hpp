#pragma once
/// A SeedLink client, versions 3 and 4: greeting, requests, packets.
///
/// Version 4: HELLO, whose answer lists the versions (`SLPROTO:4.0`), then the client's choice (`SLPROTO
/// 4.0`); for each station `STATION NET_STA`, `SELECT LOC_B_S_SS` for each stream, `DATA [number]`; `END`.
/// Packets are "SE", format and subformat (a letter each), u32 bytes of the payload, u64 number, u8 bytes of
/// the station's identifier (little-endian), the identifier, the payload. Source: FDSN, "SeedLink protocol",
/// version 4 (docs.fdsn.org/projects/seedlink). Version 3: `STATION STA NET`, `SELECT LLCCC`, `DATA [hex]`;
/// packets are "SL", six hexadecimal digits, and a miniSEED 2 record of 512 bytes or the length in its
/// blockette 1000. Source: the SeedLink page of SeisComP's manual.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/transport/tcp_stream.hpp"

namespace takt::sensors {

/// The permitted versions.
enum class SeedlinkVersion : std::uint8_t { newest, three, four };

/// Largest payload of a packet in bytes; a larger one is invalid.
inline constexpr std::size_t most_seedlink_payload = 64 << 10;

class SeedlinkSession {
 public:
  struct Packet {
    /// Format of the payload; always `2` and `D` in version 3.
    char format = '2', subformat = 'D';
    std::uint64_t number = 0;
    /// `NET_STA`; empty in version 3, where the record contains it.
    std::string_view station;
    std::span<const std::byte> payload;
  };

  /// `channels` are `NET.STA.LOC.CHA`. Throws OptionError for an invalid one.
  SeedlinkSession(const std::string& server, const std::vector<std::string>& channels,
                  SeedlinkVersion version);

  /// Connects and makes all requests; known stations continue after their last packet. Throws WorkError if
  /// the server is unreachable, does not support a version, or refuses a station or a channel.
  void connect();
  void close() { stream_.close(); }

  /// Waits for bytes; returns whether some arrived.
  bool receive(std::chrono::milliseconds limit) { return stream_.receive(limit); }
  /// Returns the next received packet, or nothing. Its bytes are valid until the next call.
  [[nodiscard]] std::optional<Packet> next();
  /// Records that this packet of the station (`NET_STA`) need not be repeated.
  void came(std::string_view station, std::uint64_t number);

  /// Reports whether the server has announced the end of the data, and whether the connection is over.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  [[nodiscard]] bool is_over() const { return stream_.is_over(); }
  /// Returns 3 or 4, once connected.
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] std::uint64_t bytes_astray() const { return bytes_astray_; }
  [[nodiscard]] std::string server() const { return address_.to_string(); }

 private:
  struct Station {
    std::vector<std::string> channels;
    /// The number of the next packet, once one has arrived, and its version.
    std::optional<std::uint64_t> next;
    int version = 0;
  };

  void greet();
  void request(const std::string& name, const Station& station);
  [[nodiscard]] std::string line(const std::string& command);
  [[nodiscard]] std::string answer(const std::string& command);
  void command(const std::string& command);
  [[nodiscard]] std::optional<Packet> read_packet(std::span<const std::byte> bytes, bool& is_whole,
                                                  std::size_t& length) const;

  const TcpAddress address_;
  const SeedlinkVersion wanted_;
  TcpStream stream_;
  /// By `NET_STA`.
  std::map<std::string, Station, std::less<>> stations_;
  int version_ = 3;
  /// Size of the last returned packet.
  std::size_t given_ = 0;
  bool has_ended_ = false;
  std::uint64_t bytes_astray_ = 0;
};

}  // namespace takt::sensors
