#include "sensors/mseed/seedlink_session.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/mseed/version2.hpp"
#include "sensors/mseed/version3.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t head_of_3 = 8, payload_of_3 = 512, number_digits = 6;
constexpr std::size_t head_of_4 = 17;
constexpr auto answer_limit = 10s;
constexpr auto line_look_around = 100ms;

TcpAddress address_of_server(const std::string& server) {
  try {
    return parse_tcp_address(server);
  } catch (const ConfigError& error) {
    throw OptionError("server", error.what());
  }
}

/// Splits NET.STA.LOC.CHA.
std::array<std::string, 4> words_of(const std::string& channel) {
  std::array<std::string, 4> words;
  std::size_t word = 0;
  for (const char c : channel)
    if (c != '.')
      words[std::min<std::size_t>(word, 3)] += c;
    else if (++word > 3)
      break;
  if (word != 3 || !identifier_of(channel))
    throw OptionError(
        "channels",
        fmt::format(
            "'{}' is not a channel: expected NETWORK.STATION.LOCATION.CHANNEL, for example NL.HGN.00.BHZ",
            channel));
  return words;
}

/// Returns version 4's stream name: `00_B_H_Z`, the identifier after `FDSN:NET_STA_`.
std::string stream_of(const std::string& channel) {
  const std::array<std::string, 4> words = words_of(channel);
  const std::size_t behind = std::string_view("FDSN:__").size() + words[0].size() + words[1].size();
  return identifier_of(channel)->substr(behind);
}

template <class Value>
Value little_endian(std::span<const std::byte> bytes) {
  Value value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// Returns the bytes of a packet's record in version 3, from its blockette 1000. A damaged record has the
/// usual length if another packet follows there.
std::size_t record_of_3(std::span<const std::byte> payload) {
  const std::optional<Version2Head> head =
      read_version2_head(payload.first(std::min(payload.size(), payload_of_3)));
  if (!head || head->bytes == 0 || head->bytes > most_seedlink_payload) return payload_of_3;
  const auto is_followed = [&](std::size_t length) {
    return payload.size() >= length + 2 && starts_with(payload.subspan(length), "SL");
  };
  return !is_followed(head->bytes) && is_followed(payload_of_3) ? payload_of_3 : head->bytes;
}

bool is_format_code(std::byte code) {
  const char c = std::to_integer<char>(code);
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

}  // namespace

SeedlinkSession::SeedlinkSession(const std::string& server, const std::vector<std::string>& channels,
                                 SeedlinkVersion version)
    : address_(address_of_server(server)), wanted_(version) {
  for (const std::string& channel : channels) {
    const std::array<std::string, 4> words = words_of(channel);
    stations_[words[0] + '_' + words[1]].channels.push_back(channel);
  }
}

void SeedlinkSession::connect() {
  given_ = 0;
  has_ended_ = false;
  stream_.connect(address_, answer_limit);
  greet();
  for (const auto& [name, station] : stations_) request(name, station);
  stream_.send("END\r\n");
}

void SeedlinkSession::greet() {
  stream_.send("HELLO\r\n");
  const std::string first = line("HELLO");
  (void)line("HELLO");
  version_ = 3;
  if (wanted_ == SeedlinkVersion::three) return;
  const bool knows_four = first.find("SLPROTO:4.") != std::string::npos;
  // A server that refuses its own offer still supports version 3.
  if (knows_four && answer("SLPROTO 4.0") == "OK") {
    version_ = 4;
    // For the server's log only.
    (void)answer("USERAGENT takt");
  } else if (wanted_ == SeedlinkVersion::four) {
    throw WorkError(fmt::format("the server {} does not support SeedLink 4: it answers '{}'",
                                address_.to_string(), excerpt(first)));
  }
}

void SeedlinkSession::request(const std::string& name, const Station& station) {
  const bool goes_on = station.next && station.version == version_;
  if (version_ == 4) {
    command("STATION " + name);
    for (const std::string& channel : station.channels) command("SELECT " + stream_of(channel));
    command(goes_on ? fmt::format("DATA {}", *station.next) : "DATA");
    return;
  }
  const std::size_t dash = name.find('_');
  command(fmt::format("STATION {} {}", name.substr(dash + 1), name.substr(0, dash)));
  for (const std::string& channel : station.channels) {
    const std::array<std::string, 4> words = words_of(channel);
    if (words[0].size() > 2 || words[1].size() > 5 || words[2].size() > 2 || words[3].size() != 3)
      throw WorkError(fmt::format("the server {} uses SeedLink 3, in which the name {} is too long",
                                  address_.to_string(), channel));
    command("SELECT " + (words[2].empty() ? "--" : words[2]) + words[3]);
  }
  command(goes_on ? fmt::format("DATA {:06X}", *station.next & 0xFFFFFF) : "DATA");
}

std::string SeedlinkSession::line(const std::string& command) {
  const std::int64_t end = now_ns() + std::chrono::nanoseconds(answer_limit).count();
  while (now_ns() < end) {
    const std::span<const std::byte> bytes = stream_.received();
    const auto stop = std::ranges::find(bytes, std::byte{'\n'});
    if (stop != bytes.end()) {
      const auto length = static_cast<std::size_t>(stop - bytes.begin());
      std::string text(reinterpret_cast<const char*>(bytes.data()), length);
      stream_.take(length + 1);
      if (text.ends_with('\r')) text.pop_back();
      return text;
    }
    if (bytes.size() > most_seedlink_payload || (!stream_.receive(line_look_around) && stream_.is_over()))
      break;
  }
  throw WorkError(fmt::format("the SeedLink server {} does not answer to {}", address_.to_string(), command));
}

std::string SeedlinkSession::answer(const std::string& command) {
  stream_.send(command + "\r\n");
  return line(command);
}

void SeedlinkSession::command(const std::string& command) {
  if (const std::string said = answer(command); said != "OK")
    throw WorkError(fmt::format("the SeedLink server {} answers '{}' to {}", address_.to_string(),
                                excerpt(said), command));
}

/// Returns a packet at the beginning of the bytes, or nothing, because none begins there or it is incomplete.
std::optional<SeedlinkSession::Packet> SeedlinkSession::read_packet(std::span<const std::byte> bytes,
                                                                    bool& is_whole,
                                                                    std::size_t& length) const {
  const std::string_view sign = version_ == 4 ? "SE" : "SL";
  const std::size_t head = version_ == 4 ? head_of_4 : head_of_3;
  is_whole = bytes.size() >= head;
  if (bytes.size() >= sign.size() && !starts_with(bytes, sign)) is_whole = true;
  if (!is_whole || !starts_with(bytes, sign)) return {};
  Packet packet;
  if (version_ == 3) {
    const char* const digits = reinterpret_cast<const char*>(bytes.data()) + sign.size();
    const auto [rest, error] = std::from_chars(digits, digits + number_digits, packet.number, 16);
    if (error != std::errc{} || rest != digits + number_digits) return {};
    is_whole = bytes.size() >= head + least_version2_record;
    if (!is_whole) return {};
    length = head + record_of_3(bytes.subspan(head));
    is_whole = bytes.size() >= length;
    if (!is_whole) return {};
    packet.payload = bytes.subspan(head, length - head);
    return packet;
  }
  const auto payload = little_endian<std::uint32_t>(bytes.subspan(4));
  const auto name = std::to_integer<std::size_t>(bytes[16]);
  // Checked before the caller waits for this many bytes.
  if (!is_format_code(bytes[2]) || !is_format_code(bytes[3]) || payload > most_seedlink_payload) return {};
  length = head + name + payload;
  is_whole = bytes.size() >= length;
  if (!is_whole) return {};
  packet.format = std::to_integer<char>(bytes[2]);
  packet.subformat = std::to_integer<char>(bytes[3]);
  packet.number = little_endian<std::uint64_t>(bytes.subspan(8));
  packet.station = {reinterpret_cast<const char*>(bytes.data()) + head, name};
  packet.payload = bytes.subspan(head + name, payload);
  return packet;
}

std::optional<SeedlinkSession::Packet> SeedlinkSession::next() {
  stream_.take(std::exchange(given_, 0));
  while (!has_ended_) {
    const std::span<const std::byte> bytes = stream_.received();
    if (bytes.size() < 2) return {};
    if (starts_with(bytes, "END")) {
      has_ended_ = true;
      return {};
    }
    if (bytes.size() == 2 && starts_with(bytes, "EN")) return {};
    bool is_whole = false;
    std::size_t length = 0;
    const std::optional<Packet> packet = read_packet(bytes, is_whole, length);
    if (packet) {
      given_ = length;
      return packet;
    }
    if (!is_whole) return {};
    // Byte by byte to the next packet.
    ++bytes_astray_;
    stream_.take(1);
  }
  return {};
}

void SeedlinkSession::came(std::string_view station, std::uint64_t number) {
  const auto found = stations_.find(station);
  if (found == stations_.end()) return;
  found->second.next = number + 1;
  found->second.version = version_;
}

}  // namespace takt::sensors
