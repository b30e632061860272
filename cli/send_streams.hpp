#pragma once
/// What `takt send` can send, a format each.

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

/// What a user says of the stream, whatever its format.
struct SendStreamArguments {
  std::vector<std::string> files;
  /// Ports of which the file is a capture; none: it is not.
  std::vector<std::string> captured;
  std::vector<std::string> to{"127.0.0.1:16130"};
  std::uint64_t seed = 1;
  std::string over = "udp";
  /// That must be there before the first packet, where they come to the sender.
  std::size_t receivers = 1;
  // What a made-up stream is.
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
  /// Whether lanes go to one port when a single one is given, and not to successive ones.
  bool shares_port = false;
  /// For people: `station 1, 4 lanes of 122 beamlets of 8 bits`.
  std::string description;
  /// For the report; null where there is none.
  nlohmann::ordered_json tone;
  /// Whether it goes in datagrams, between which others can be put, and which can go to another lane's port.
  bool goes_in_datagrams = true;
  /// Where it does not just go to UDP ports: sends it, as `emulate` does.
  std::function<sensors::EmulatorReport(
      sensors::PacketStream& stream, const sensors::EmulatorOptions& options, const std::atomic<bool>& stop)>
      send = {};
};

/// One format's options, and how a stream is made of them and the common ones. Options of a made-up stream
/// are in the group `made_up_group` of the format.
class SendFormat {
 public:
  virtual ~SendFormat() = default;
  virtual void declare(Command& command) = 0;
  /// What `--over` may be; nothing where the format has a way of its own.
  [[nodiscard]] virtual std::vector<std::string> ways() const { return {"udp"}; }
  /// Of its own options, those that say something about recorded files, too.
  [[nodiscard]] virtual std::vector<std::string> options_of_files() const { return {}; }
  /// Throws ConfigError and UsageError.
  [[nodiscard]] virtual SendStream make(const SendStreamArguments& arguments) const = 0;
};

/// Options of what a made-up stream carries, whatever its format.
void add_sky_options(Command& command, SendStreamArguments& arguments);
/// What they say; `noise` where nothing is said of it. Throws ConfigError.
[[nodiscard]] sensors::MadeSignal made_signal(const SendStreamArguments& arguments, double noise,
                                              std::size_t lanes);
/// The one that is wrong, `--dm`, or what the stream is called.
[[nodiscard]] std::string place_of(const std::string& option, const char* stream);

/// A stream as it was captured, each packet at the time at which it came; `format` is what people call it.
/// Throws ConfigError.
[[nodiscard]] SendStream captured_stream(const SendStreamArguments& arguments, std::string_view format,
                                         std::unique_ptr<const sensors::PacketCodec> codec);
/// For formats of which there are no files but captures: throws ConfigError where one is given.
void refuse_files(const SendStreamArguments& arguments, std::string_view format);

/// The second with which a made-up stream begins.
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
