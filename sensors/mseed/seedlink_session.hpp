#pragma once
/// A client's side of SeedLink, versions 3 and 4: greeting, requests, packets.
///
/// Version 4: after HELLO, whose answer names the versions (`SLPROTO:4.0`), the client chooses one (`SLPROTO
/// 4.0`); for each station `STATION NET_STA`, `SELECT LOC_B_S_SS` for each stream, `DATA [number]`; `END`.
/// Packets are "SE", format and subformat (a letter each), u32 bytes of the payload, u64 number, u8 bytes of
/// the station's identifier (little-endian), the identifier, the payload. Source: FDSN, "SeedLink protocol",
/// version 4 (docs.fdsn.org/projects/seedlink). Version 3: `STATION STA NET`, `SELECT LLCCC`, `DATA [hex]`;
/// packets are "SL", six hexadecimal digits, and a miniSEED 2 record of 512 bytes or as many as its blockette
/// 1000 tells. Source: the SeedLink page of SeisComP's manual.

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

/// Which versions may be spoken.
enum class SeedlinkVersion : std::uint8_t { newest, three, four };

/// Bytes of a packet's payload; what tells more is no packet.
inline constexpr std::size_t most_seedlink_payload = 64 << 10;

class SeedlinkSession {
 public:
  struct Packet {
    /// What the payload is; that of version 3 is always `2` and `D`.
    char format = '2', subformat = 'D';
    std::uint64_t number = 0;
    /// `NET_STA`; empty in version 3, where the record tells it.
    std::string_view station;
    std::span<const std::byte> payload;
  };

  /// `channels` are `NET.STA.LOC.CHA`. Throws OptionError for one that cannot be.
  SeedlinkSession(const std::string& server, const std::vector<std::string>& channels,
                  SeedlinkVersion version);

  /// From the first word to the first packet; stations of which packets came go on behind them. Throws
  /// WorkError when there is no server, it does not speak a version, or it refuses a station or a channel.
  void connect();
  void close() { stream_.close(); }

  /// Waits for bytes; whether some came.
  bool receive(std::chrono::milliseconds limit) { return stream_.receive(limit); }
  /// The next packet of those received, or nothing. Its bytes are valid until the next call.
  [[nodiscard]] std::optional<Packet> next();
  /// A packet of this station (`NET_STA`) came, and need not come again.
  void came(std::string_view station, std::uint64_t number);

  /// Whether the server has said that there is no more, and whether the connection is over.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  [[nodiscard]] bool is_over() const { return stream_.is_over(); }
  /// 3 or 4, once connected.
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] std::uint64_t bytes_astray() const { return bytes_astray_; }
  [[nodiscard]] std::string server() const { return address_.to_string(); }

 private:
  struct Station {
    std::vector<std::string> channels;
    /// The number of the packet that comes next, once one has come, and of which version it is.
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
  /// Of the packet that was given last.
  std::size_t given_ = 0;
  bool has_ended_ = false;
  std::uint64_t bytes_astray_ = 0;
};

}  // namespace takt::sensors
