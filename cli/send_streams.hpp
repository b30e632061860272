#pragma once
/// The streams that `takt send` can send, by format.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "sensors/emulator/emulator.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/synthetic/made_signal.hpp"

namespace takt::cli {

/// Options of the stream in all formats.
struct SendStreamArguments {
  std::vector<std::string> files;
  /// Ports of a captured stream in the file; empty: not a capture.
  std::vector<std::string> captured;
  std::vector<std::string> to{"127.0.0.1:16130"};
  std::uint64_t seed = 1;
  std::string over = "udp";
  /// Receivers that must connect to the sender before the first packet, if the transport has connections.
  std::size_t receivers = 1;
  // Options of synthetic streams.
  int bits = 0;
  std::uint32_t station = 1;
  std::string tone;
  double noise = -1, amplitude = 10, drift = 0;
  double common = 0, pulse = 0, dispersion_measure = 0;
  std::string frequency;
  std::string pulse_period, pulse_width;
  std::vector<std::string> delays;
  std::uint64_t sky_seed = 1;
  std::uint32_t second = 0;
};

struct SendStream {
  std::unique_ptr<sensors::PacketStream> stream;
  std::size_t lanes = 1;
  /// True if all lanes go to one port when a single one is given, instead of successive ones.
  bool shares_port = false;
  /// For users: `station 1, 4 lanes of 122 beamlets of 8 bits`.
  std::string description;
  /// For the report; null if there is none.
  nlohmann::ordered_json tone;
  /// True for datagrams, which allow inserted packets and the port of another lane.
  bool goes_in_datagrams = true;
  /// For transports other than UDP: sends the stream like `emulate`.
  std::function<sensors::EmulatorReport(
      sensors::PacketStream& stream, const sensors::EmulatorOptions& options, const std::atomic<bool>& stop)>
      send = {};
};

/// Options of one format, and the conversion of them and the common ones to a stream. Options of a synthetic
/// stream are in the group `made_up_group`.
class SendFormat {
 public:
  virtual ~SendFormat() = default;
  virtual void declare(Command& command) = 0;
  /// Returns the valid values of `--over`; empty if the format has its own transport.
  [[nodiscard]] virtual std::vector<std::string> ways() const { return {"udp"}; }
  /// Returns its own options that also apply to recorded files.
  [[nodiscard]] virtual std::vector<std::string> options_of_files() const { return {}; }
  /// Makes the stream. Throws ConfigError and UsageError.
  [[nodiscard]] virtual SendStream make(const SendStreamArguments& arguments) const = 0;
};

/// Adds the options for the signal of synthetic streams in all formats.
void add_sky_options(Command& command, SendStreamArguments& arguments);
/// Returns the signal; its default noise is `noise`. Throws ConfigError.
[[nodiscard]] sensors::MadeSignal made_signal(const SendStreamArguments& arguments, double noise,
                                              std::size_t lanes);
/// Returns the name of the invalid option, `--dm`, or of the stream.
[[nodiscard]] std::string place_of(const std::string& option, const char* stream);

/// Returns a captured stream with the original times of its packets; `format` is its name for users. Throws
/// ConfigError.
[[nodiscard]] SendStream captured_stream(const SendStreamArguments& arguments, std::string_view format,
                                         std::unique_ptr<const sensors::PacketCodec> codec);
/// Throws ConfigError for files of formats that only support captures.
void refuse_files(const SendStreamArguments& arguments, std::string_view format);

/// Returns the second in which a synthetic stream begins.
[[nodiscard]] std::uint32_t first_second(const SendStreamArguments& arguments);

[[nodiscard]] std::unique_ptr<SendFormat> send_gnuradio();
[[nodiscard]] std::unique_ptr<SendFormat> send_lofar();
[[nodiscard]] std::unique_ptr<SendFormat> send_lwa();
[[nodiscard]] std::unique_ptr<SendFormat> send_seedlink();
[[nodiscard]] std::unique_ptr<SendFormat> send_spead();
[[nodiscard]] std::unique_ptr<SendFormat> send_takt();
[[nodiscard]] std::unique_ptr<SendFormat> send_vdif();

inline constexpr const char* made_up_group = "A synthetic stream";
inline constexpr const char* made_up_gnuradio_group = "A stream of GNU Radio's sinks";
inline constexpr const char* made_up_lofar_group = "A synthetic LOFAR station";
inline constexpr const char* made_up_lwa_group = "A synthetic LWA station";
inline constexpr const char* made_up_seedlink_group = "A SeedLink server";
inline constexpr const char* made_up_spead_group = "A SPEAD stream";
inline constexpr const char* made_up_takt_group = "Frames in takt's framing";
inline constexpr const char* made_up_vdif_group = "A VDIF stream";

}  // namespace takt::cli
