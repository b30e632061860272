#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/send_streams.hpp"
#include "core/error.hpp"
#include "sensors/option_error.hpp"
#include "sensors/pcap/recording.hpp"

namespace takt::cli {

namespace {

std::vector<std::uint16_t> captured_ports(const std::vector<std::string>& texts) {
  std::vector<std::uint16_t> ports;
  for (const std::string& text : texts) {
    std::uint16_t port = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || rest != text.data() + text.size())
      throw ConfigError(
          fmt::format("--captured: '{}' is not a port: expected a number from 1 to 65535", text));
    ports.push_back(port);
  }
  return ports;
}

}  // namespace

SendStream captured_stream(const SendStreamArguments& arguments, std::string_view format,
                           std::unique_ptr<const sensors::PacketCodec> codec) {
  if (arguments.files.size() != 1)
    throw ConfigError(
        fmt::format("--captured: {} files are given: expected one capture (pcap)", arguments.files.size()));
  const std::vector<std::uint16_t> ports = captured_ports(arguments.captured);
  SendStream made;
  try {
    made.stream = std::make_unique<sensors::PcapRecording>(
        sensors::PcapOptions{.file = arguments.files.front(), .ports = ports}, std::move(codec));
  } catch (const sensors::OptionError& error) {
    throw ConfigError(fmt::format("--captured: {}", error.what()));
  }
  made.lanes = ports.size();
  made.description =
      fmt::format("{} packets to {} {} as captured in {}", format, ports.size() > 1 ? "ports" : "port",
                  fmt::join(ports, ", "), arguments.files.front());
  return made;
}

void refuse_files(const SendStreamArguments& arguments, std::string_view format) {
  if (arguments.files.empty()) return;
  throw ConfigError(
      fmt::format("{}: {} has no file format: expected a capture (pcap) and --captured with its destination "
                  "ports, or no file for a synthetic stream",
                  arguments.files.front(), format));
}

}  // namespace takt::cli
