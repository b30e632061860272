#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/send_streams.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "sensors/frames/axis_text.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/message_outlets.hpp"
#include "sensors/streams/wire_synthesis.hpp"
#include "sensors/transport/udp_sender.hpp"

namespace takt::cli {

namespace {

/// Datagrams may be lost, including the last one.
constexpr int times_end_is_sent = 3;

sensors::Axis parse_sent_axis(const std::string& text) {
  try {
    return sensors::parse_axis(text);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--axes: {}", error.what()));
  }
}

class SendTakt final : public SendFormat {
 public:
  void declare(Command& command) override {
    command.add("--elements", element_, "Type of the frames' elements")
        .group(made_up_takt_group)
        .one_of({"int8", "uint8", "int16", "int32", "float32", "complex_int8", "complex_int16",
                 "complex_float32"})
        .fallback("float32");
    command.add("--axes", axes_, "Axes of the frames; default: time=1000")
        .group(made_up_takt_group)
        .value("NAME=SIZE[:FIRST:STEP]")
        .with_commas();
    command.add("--frame-rate", rate_, "Frames/s")
        .group(made_up_takt_group)
        .value("FREQUENCY")
        .fallback("100Hz");
    command.number("--piece", piece_, "Largest piece of a frame per datagram, in bytes", Range{1, 65'000})
        .group(made_up_takt_group)
        .fallback("1400");
  }

  [[nodiscard]] std::vector<std::string> ways() const override { return {"udp", "tcp", "push", "pub"}; }

  [[nodiscard]] SendStream make(const SendStreamArguments& arguments) const override {
    sensors::WireSynthesisOptions options;
    options.type.element = *sensors::find_element(element_);
    for (const std::string& axis : axes_) options.type.axes.push_back(parse_sent_axis(axis));
    if (axes_.empty()) options.type.axes = {{"time", 1000, {}}};
    options.type.rate_hz = parse_frequency_of("--frame-rate", rate_).hertz;
    if (arguments.over == "udp") options.payload_bytes = piece_;
    options.signal = made_signal(arguments, options.signal.noise, 1);
    if (!arguments.tone.empty()) options.tone_hz = parse_frequency_of("--tone", arguments.tone).hertz;
    options.second = first_second(arguments);
    SendStream made;
    try {
      if (!arguments.captured.empty()) {
        (void)sensors::WireSynthesis(options);
        return captured_stream(arguments, "takt's", std::make_unique<sensors::WireSenderCodec>(options));
      }
      refuse_files(arguments, "takt's framing");
      made.stream = std::make_unique<sensors::WireSynthesis>(options);
    } catch (const sensors::OptionError& error) {
      throw ConfigError(fmt::format("{}: {}",
                                    error.option() == "payload" ? "--piece"
                                    : error.option() == "axes"  ? "--axes"
                                    : error.option() == "rate"  ? "--frame-rate"
                                                               : place_of(error.option(), "stream of frames"),
                                    error.what()));
    }
    made.description = fmt::format("frames of {} by {}", options.type.to_string(), arguments.over);
    made.goes_in_datagrams = arguments.over == "udp";
    made.send = sender(arguments);
    return made;
  }

 private:
  /// Sends the stream and its end mark, which is not counted.
  [[nodiscard]] static decltype(SendStream::send) sender(const SendStreamArguments& arguments) {
    return [over = arguments.over, receivers = arguments.receivers](sensors::PacketStream& stream,
                                                                    const sensors::EmulatorOptions& options,
                                                                    const std::atomic<bool>& stop) {
      auto& frames = dynamic_cast<sensors::WireSynthesis&>(stream);
      const sensors::Destination& at = options.destinations.front();
      const auto to = [&](sensors::PacketOutlet& outlet) {
        sensors::EmulatorReport report = sensors::emulate(stream, outlet, options, stop);
        for (int i = 0; i < (over == "udp" ? times_end_is_sent : 1); ++i) outlet.put(frames.end());
        outlet.flush();
        return report;
      };
      if (over == "udp") {
        sensors::UdpSender sender(options.destinations);
        return to(sender);
      }
      if (over == "push" || over == "pub") {
        sensors::ZmqOutlet socket("tcp://" + at.to_string(), over == "pub", stop);
        socket.wait_for_receivers(receivers);
        return to(socket);
      }
      sensors::TcpOutlet server(at.host, at.port, stop);
      server.wait_for_receivers(receivers);
      const sensors::EmulatorReport report = to(server);
      server.finish();
      return report;
    };
  }

  std::string element_ = "float32", rate_ = "100Hz";
  std::vector<std::string> axes_;
  std::size_t piece_ = sensors::usual_fragment_bytes;
};

}  // namespace

std::unique_ptr<SendFormat> send_takt() {
  return std::make_unique<SendTakt>();
}

}  // namespace takt::cli
