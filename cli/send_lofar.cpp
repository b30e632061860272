#include <cmath>

#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/send_streams.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "sensors/lofar/codec.hpp"
#include "sensors/lofar/recording.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/option_error.hpp"

namespace takt::cli {

namespace {

class SendLofar final : public SendFormat {
 public:
  void declare(Command& command) override {
    const auto number = [&](const char* name, auto& value, const char* help, Range range = {}) -> Argument& {
      return command.number(name, value, help, range).group(made_up_lofar_group);
    };
    number("--lanes", lanes_, "Number of ports; default: as many as in --to", {1, 4});
    number("--beamlets", beamlets_, "Beamlets per lane; default: as many as fit in a packet");
    command.add("--clock", clock_, "200 MHz or 160 MHz").value("FREQUENCY").group(made_up_lofar_group);
    command.add("--band", band_, "Band in which the subbands lie").value("BAND").group(made_up_lofar_group);
    command
        .add("--subbands", subbands_, "Subband of each beamlet, lane by lane: 12..133,200; default: from 12")
        .value("NUMBERS")
        .with_commas()
        .group(made_up_lofar_group);
  }

  [[nodiscard]] SendStream make(const SendStreamArguments& arguments) const override {
    if (!arguments.captured.empty())
      return captured_stream(arguments, "LOFAR", std::make_unique<sensors::LofarCodec>(clock_hz()));
    SendStream made;
    sensors::LofarFormat format;
    if (arguments.files.empty()) {
      const sensors::LofarSynthesisOptions options = synthesis_of(arguments);
      format = options.format;
      try {
        made.stream = std::make_unique<sensors::LofarSynthesis>(options);
      } catch (const sensors::OptionError& error) {
        throw ConfigError(fmt::format("{}: {}", place_of(error.option(), "station"), error.what()));
      }
      if (options.tone) {
        const sensors::TonePlace place = sensors::find_tone(format, options.tone->frequency_hz);
        made.tone = {{"frequency_hz", options.tone->frequency_hz},
                     {"amplitude", options.tone->amplitude},
                     {"lane", place.lane},
                     {"beamlet", place.beamlet},
                     {"beamlet_centre_hz", place.centre_hz}};
        fmt::print(stderr, "tone at {:.6f} MHz: lane {}, beamlet {}, centred on {:.6f} MHz\n",
                   options.tone->frequency_hz / 1e6, place.lane, place.beamlet, place.centre_hz / 1e6);
      }
    } else {
      auto recording = std::make_unique<sensors::LofarRecording>(
          std::vector<std::filesystem::path>(arguments.files.begin(), arguments.files.end()));
      format = recording->format();
      made.stream = std::move(recording);
    }
    made.lanes = format.lanes;
    made.description = fmt::format("station {}, {} lanes of {} beamlets of {} bits", *format.station,
                                   format.lanes, format.beamlets, format.bits);
    return made;
  }

 private:
  [[nodiscard]] std::int64_t clock_hz() const {
    const Frequency clock = parse_frequency_of("--clock", clock_);
    if (clock.hertz > 1e9)
      throw ConfigError(fmt::format("--clock {}: not a clock of a LOFAR station: expected 200MHz or 160MHz",
                                    to_string(clock)));
    return std::llround(clock.hertz);
  }

  [[nodiscard]] sensors::LofarSynthesisOptions synthesis_of(const SendStreamArguments& arguments) const {
    sensors::LofarSynthesisOptions options;
    sensors::LofarFormat& format = options.format;
    format.lanes = lanes_ > 0 ? lanes_ : arguments.to.size();
    format.bits = arguments.bits != 0 ? arguments.bits : 8;
    const int fitting_bits = format.bits > 0 ? format.bits : 16;
    format.beamlets = beamlets_ > 0 ? beamlets_ : static_cast<std::size_t>(61 * 16 / fitting_bits);
    format.clock_hz = clock_hz();
    format.packets = 1;
    format.station = static_cast<std::uint16_t>(arguments.station);
    format.band = band_;
    format.subbands = sensors::parse_subbands(subbands_);
    // From 12 on, as is common at stations, if enough subbands exist.
    if (subbands_.empty() && 12 + format.lanes * format.beamlets <= 512)
      format.subbands = sensors::parse_subbands(
          std::vector{fmt::format("12..{}", 12 + format.lanes * format.beamlets - 1)});
    if (!arguments.frequency.empty())
      throw ConfigError("--frequency: not for LOFAR: --subbands and --band give the frequencies");
    options.sky = made_signal(arguments, options.noise, format.lanes);
    options.noise = options.sky.noise;
    if (!arguments.tone.empty())
      options.tone = {parse_frequency_of("--tone", arguments.tone).hertz, arguments.amplitude,
                      arguments.drift};
    options.seed = arguments.seed;
    options.second = first_second(arguments);
    return options;
  }

  std::size_t lanes_ = 0, beamlets_ = 0;
  std::string clock_ = "200 MHz", band_ = "HBA_110_190";
  std::vector<std::string> subbands_;
};

}  // namespace

std::unique_ptr<SendFormat> send_lofar() {
  return std::make_unique<SendLofar>();
}

}  // namespace takt::cli
