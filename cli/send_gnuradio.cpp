#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/send_streams.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "sensors/gnuradio/messages.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/message_outlets.hpp"

namespace takt::cli {

namespace {

class SendGnuradio final : public SendFormat {
 public:
  void declare(Command& command) override {
    command.add("--item-type", item_, "Type of the samples")
        .group(made_up_gnuradio_group)
        .one_of({"float32", "complex_float32", "int16", "complex_int16", "int8"})
        .fallback("complex_float32");
    command.add("--item-rate", rate_, "Samples/s")
        .group(made_up_gnuradio_group)
        .value("FREQUENCY")
        .fallback("1MHz");
    command.number("--datagram", datagram_, "Bytes of samples in a datagram or message", Range{1, 65'000})
        .group(made_up_gnuradio_group)
        .fallback("1472");
  }

  [[nodiscard]] std::vector<std::string> ways() const override { return {"udp", "push", "pub"}; }

  [[nodiscard]] SendStream make(const SendStreamArguments& arguments) const override {
    sensors::GnuradioSynthesisOptions options;
    options.format.payload_bytes = datagram_;
    options.format.type.element = *sensors::find_element(item_);
    const std::size_t each = sensors::size_of(options.format.type.element);
    if (datagram_ % each != 0)
      throw ConfigError(
          fmt::format("--datagram {}: not a whole number of samples of {} bytes", datagram_, each));
    const double rate = parse_frequency_of("--item-rate", rate_).hertz;
    options.format.type.axes = {{"time", datagram_ / each, {}}};
    options.format.type.rate_hz = rate / static_cast<double>(datagram_ / each);
    options.signal = made_signal(arguments, options.signal.noise, 1);
    if (!arguments.tone.empty()) options.tone_hz = parse_frequency_of("--tone", arguments.tone).hertz;
    options.second = first_second(arguments);
    const bool is_zmq = arguments.over != "udp";
    SendStream made;
    try {
      if (!arguments.captured.empty()) {
        validate(options.format);
        return captured_stream(
            arguments, "GNU Radio",
            std::make_unique<sensors::GnuradioCodec>(options.format, options.second * 1'000'000'000));
      }
      refuse_files(arguments, "GNU Radio");
      if (is_zmq)
        made.stream = std::make_unique<sensors::GnuradioMessages>(options);
      else
        made.stream = std::make_unique<sensors::GnuradioSynthesis>(options);
    } catch (const sensors::OptionError& error) {
      throw ConfigError(fmt::format(
          "{}: {}", place_of(error.option(), ("GNU Radio stream, " + error.option()).c_str()), error.what()));
    }
    made.description = fmt::format("GNU Radio's {} sink, {} of {} bytes of {}",
                                   !is_zmq                   ? "UDP"
                                   : arguments.over == "pub" ? "ZMQ PUB"
                                                             : "ZMQ PUSH",
                                   is_zmq ? "messages" : "datagrams", datagram_, item_);
    if (!is_zmq) return made;
    made.goes_in_datagrams = false;
    made.send = [is_to_all = arguments.over == "pub", receivers = arguments.receivers](
                    sensors::PacketStream& stream, const sensors::EmulatorOptions& options,
                    const std::atomic<bool>& stop) {
      sensors::ZmqOutlet socket("tcp://" + options.destinations.front().to_string(), is_to_all, stop);
      socket.wait_for_receivers(receivers);
      return sensors::emulate(stream, socket, options, stop);
    };
    return made;
  }

 private:
  std::string item_ = "complex_float32", rate_ = "1MHz";
  std::size_t datagram_ = 1472;
};

}  // namespace

std::unique_ptr<SendFormat> send_gnuradio() {
  return std::make_unique<SendGnuradio>();
}

}  // namespace takt::cli
