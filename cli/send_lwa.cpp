#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options.hpp"
#include "cli/send_streams.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "sensors/lwa/codec.hpp"
#include "sensors/lwa/recording.hpp"
#include "sensors/lwa/synthesis.hpp"
#include "sensors/option_error.hpp"

namespace takt::cli {

namespace {

std::vector<unsigned> numbers_of(const char* option, const std::vector<std::string>& texts) {
  std::vector<unsigned> numbers;
  for (const std::string& text : texts) {
    unsigned number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || rest != text.data() + text.size() || number > 8191)
      throw ConfigError(fmt::format("{}: '{}' is not a number: expected for example 1,2", option, text));
    numbers.push_back(number);
  }
  return numbers;
}

class SendLwa final : public SendFormat {
 public:
  void declare(Command& command) override {
    const auto list = [&](const char* name, auto& value, const char* help, const char* unit) -> Argument& {
      return command.add(name, value, help).value(unit).with_commas().group(made_up_lwa_group);
    };
    command.add("--mode", mode_, "Packets of beams or of stands")
        .one_of({"drx", "tbn"})
        .fallback("drx")
        .group(made_up_lwa_group);
    list("--beams", beams_, "Beams of drx; default: 1", "NUMBERS");
    list("--tunings", tunings_, "Tunings of each beam; default: 1,2", "NUMBERS");
    list("--stands", stands_, "Stands of tbn; default: 1", "NUMBERS");
    command
        .number("--decimation", decimation_,
                "Clocks of 196 MHz per complex sample; default: drx 10 (19.6 MHz), tbn 1960 (100 kHz)",
                {1, 1'000'000})
        .group(made_up_lwa_group);
    list("--frequencies", frequencies_, "Centre frequency of each signal: 38MHz,74MHz", "FREQUENCIES");
  }

  [[nodiscard]] SendStream make(const SendStreamArguments& arguments) const override {
    SendStream made;
    sensors::LwaFormat format;
    try {
      if (!arguments.captured.empty()) {
        format = synthesis_of(arguments).format;
        validate(format);
        SendStream captured = captured_stream(arguments, "LWA", std::make_unique<sensors::LwaCodec>(format));
        captured.shares_port = true;
        return captured;
      }
      if (arguments.files.size() > 1)
        throw ConfigError(
            fmt::format("{} LWA files are given: expected one with all signals", arguments.files.size()));
      if (arguments.files.empty()) {
        const sensors::LwaSynthesisOptions options = synthesis_of(arguments);
        format = options.format;
        made.stream = std::make_unique<sensors::LwaSynthesis>(options);
      } else {
        format = sensors::read_lwa_format(arguments.files.front());
        validate(format);
        made.stream = std::make_unique<sensors::LwaRecording>(arguments.files.front(), format);
      }
    } catch (const sensors::OptionError& error) {
      throw ConfigError(fmt::format(
          "{}: {}", error.option() == "sample_rate" ? "--decimation" : place_of(error.option(), "LWA stream"),
          error.what()));
    }
    made.shares_port = true;
    std::vector<std::string> names;
    for (const std::uint16_t signal : format.signals)
      names.push_back(sensors::name_of_signal(format.mode, signal));
    made.description = fmt::format("LWA {} packets of {}, {} Hz", name_of(format.mode),
                                   fmt::join(names, "; "), format.sample_hz);
    return made;
  }

 private:
  [[nodiscard]] sensors::LwaSynthesisOptions synthesis_of(const SendStreamArguments& arguments) const {
    sensors::LwaSynthesisOptions options;
    sensors::LwaFormat& format = options.format;
    const bool is_tbn = mode_ == "tbn";
    format.mode = is_tbn ? sensors::LwaMode::tbn : sensors::LwaMode::drx;
    if (is_tbn) {
      for (const unsigned stand : numbers_of("--stands", stands_))
        format.signals.push_back(static_cast<std::uint16_t>(stand));
    } else {
      for (const unsigned beam : numbers_of("--beams", beams_))
        for (const unsigned tuning : numbers_of("--tunings", tunings_)) {
          // Larger numbers belong to another beam.
          if (beam > 7 || tuning > 7)
            throw ConfigError(fmt::format("--{}: {} is not valid: expected 1 to 7",
                                          beam > 7 ? "beams" : "tunings", beam > 7 ? beam : tuning));
          format.signals.push_back(sensors::drx_signal(beam, tuning));
        }
    }
    const std::uint64_t usual = is_tbn ? 1960 : 10;
    format.sample_hz = static_cast<double>(sensors::lwa_clock_hz) /
                       static_cast<double>(decimation_ > 0 ? decimation_ : usual);
    for (const std::string& text : frequencies_)
      format.frequencies_hz.push_back(parse_frequency_of("--frequencies", text).hertz);
    options.signal = made_signal(arguments, options.signal.noise, format.packets_per_moment());
    if (!arguments.tone.empty()) options.tone_hz = parse_frequency_of("--tone", arguments.tone).hertz;
    options.second = first_second(arguments);
    return options;
  }

  std::string mode_ = "drx";
  std::uint64_t decimation_ = 0;
  std::vector<std::string> beams_{"1"}, tunings_{"1", "2"}, stands_{"1"}, frequencies_;
};

}  // namespace

std::unique_ptr<SendFormat> send_lwa() {
  return std::make_unique<SendLwa>();
}

}  // namespace takt::cli
