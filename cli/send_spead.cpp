#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/send_streams.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "sensors/option_error.hpp"
#include "sensors/spead/synthesis.hpp"

namespace takt::cli {

namespace {

class SendSpead final : public SendFormat {
 public:
  void declare(Command& command) override {
    const auto number = [&](const char* name, auto& value, const char* help, Range range) -> Argument& {
      return command.number(name, value, help, range).group(made_up_spead_group);
    };
    const auto text = [&](const char* name, std::string& value, const char* help) -> Argument& {
      return command.add(name, value, help).group(made_up_spead_group);
    };
    text("--flavour", flavour_, "Flavour: bits of items and of their addresses")
        .one_of({"64-48", "64-40"})
        .fallback("64-48");
    text("--element", element_, "Type of the samples: int8, complex_int16, float32, ...")
        .one_of({"int8", "uint8", "int16", "int32", "float32", "float64", "complex_int8", "complex_int16",
                 "complex_float32"})
        .fallback("complex_int8");
    command.flag("--big-endian", is_big_endian_, "Big-endian samples").group(made_up_spead_group);
    number("--heap", heap_, "Bytes of samples in a heap", {1, 1 << 28}).fallback("8192");
    text("--heap-rate", heap_rate_, "Heaps per second").value("FREQUENCY").fallback("1kHz");
    number("--heap-payload", payload_, "Largest payload of a packet, in bytes", {1, 65000}).fallback("1432");
    number("--first-payload", first_payload_,
           "Largest payload of a heap's first packet, in bytes; default: as --heap-payload", {0, 65000});
    number("--item", item_, "Identifier of the item with the samples; 0: no item pointer", {0, 8388607})
        .fallback("4096");
    number("--timestamp", timestamp_, "Identifier of the item with the heap's time; default: none",
           {0, 8388607});
    number("--heap-ticks", heap_ticks_, "Ticks from one heap to the next", {0, 1e15});
    text("--tick-rate", tick_rate_, "Ticks per second of the heap's time").value("FREQUENCY");
    command.flag("--descriptors", has_descriptors_, "Send a heap of item descriptors first")
        .group(made_up_spead_group);
    number("--since", since_, "Unix time of tick 0, in s", {0, 1e10});
  }

  [[nodiscard]] SendStream make(const SendStreamArguments& arguments) const override {
    SendStream made;
    try {
      const sensors::SpeadSynthesisOptions options = synthesis_of(arguments);
      if (!arguments.captured.empty()) {
        validate(options.format);
        return captured_stream(
            arguments, "SPEAD",
            std::make_unique<sensors::SpeadCodec>(options.format, options.second * 1'000'000'000));
      }
      refuse_files(arguments, "SPEAD");
      made.stream = std::make_unique<sensors::SpeadSynthesis>(options);
    } catch (const sensors::OptionError& error) {
      throw ConfigError(fmt::format(
          "{}: {}", place_of(error.option(), ("SPEAD stream, " + error.option()).c_str()), error.what()));
    }
    made.shares_port = true;
    made.description = fmt::format("SPEAD {}, heaps of {} bytes of {}", flavour_, heap_, element_);
    return made;
  }

 private:
  [[nodiscard]] sensors::SpeadSynthesisOptions synthesis_of(const SendStreamArguments& arguments) const {
    sensors::SpeadSynthesisOptions options;
    sensors::SpeadFormat& format = options.format;
    format.flavour =
        flavour_ == "64-40" ? sensors::SpeadFlavour::spead_64_40 : sensors::SpeadFlavour::spead_64_48;
    format.element = *sensors::find_element(element_);
    format.is_big_endian = is_big_endian_;
    const std::size_t each = sensors::size_of(format.element);
    if (heap_ % each != 0)
      throw ConfigError(fmt::format("--heap {}: not a whole number of elements of {} bytes", heap_, each));
    format.frame.element = format.element;
    format.frame.axes = {{"time", heap_ / each, {}}};
    format.frame.rate_hz = parse_frequency_of("--heap-rate", heap_rate_).hertz;
    format.item = item_;
    format.payload_bytes = payload_;
    format.first_payload_bytes = first_payload_;
    format.timestamp = timestamp_;
    format.heap_ticks = static_cast<std::int64_t>(heap_ticks_);
    if (!tick_rate_.empty()) format.ticks_per_second = parse_frequency_of("--tick-rate", tick_rate_).hertz;
    format.since_s = since_;
    options.signal = made_signal(arguments, options.signal.noise, 1);
    if (!arguments.tone.empty()) options.tone_hz = parse_frequency_of("--tone", arguments.tone).hertz;
    options.has_descriptors = has_descriptors_;
    options.second = first_second(arguments);
    return options;
  }

  std::string flavour_ = "64-48", element_ = "complex_int8", heap_rate_ = "1kHz", tick_rate_;
  bool is_big_endian_ = false, has_descriptors_ = false;
  std::size_t heap_ = 8192, payload_ = 1432, first_payload_ = 0;
  std::uint32_t item_ = 4096, timestamp_ = 0;
  std::uint64_t heap_ticks_ = 0;
  double since_ = 0;
};

}  // namespace

std::unique_ptr<SendFormat> send_spead() {
  return std::make_unique<SendSpead>();
}

}  // namespace takt::cli
