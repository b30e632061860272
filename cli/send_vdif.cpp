#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options.hpp"
#include "cli/send_streams.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "sensors/option_error.hpp"
#include "sensors/vdif/codec.hpp"
#include "sensors/vdif/recording.hpp"
#include "sensors/vdif/synthesis.hpp"

namespace takt::cli {

namespace {

class SendVdif final : public SendFormat {
 public:
  void declare(Command& command) override {
    const auto number = [&](const char* name, auto& value, const char* help, Range range) -> Argument& {
      return command.number(name, value, help, range).group(made_up_vdif_group);
    };
    number("--threads", threads_, "Threads, numbered from 0", {1, 16}).fallback("1");
    number("--channels", channels_, "Channels of a thread, a power of two", {1, 65536}).fallback("1");
    number("--payload", payload_, "Bytes of samples in a packet", {8, 65000}).fallback("8000");
    command.add("--sample-rate", sample_rate_, "Sample rate of each channel, for files without it")
        .value("FREQUENCY")
        .group(made_up_vdif_group);
    command.flag("--complex", is_complex_, "Complex samples instead of real ones").group(made_up_vdif_group);
    command.flag("--numbered", is_numbered_, "Prefix each packet with its 64-bit number (VTP)")
        .group(made_up_vdif_group);
  }

  [[nodiscard]] std::vector<std::string> options_of_files() const override {
    return {"--sample-rate", "--numbered"};
  }

  [[nodiscard]] SendStream make(const SendStreamArguments& arguments) const override {
    SendStream made;
    sensors::VdifFormat format;
    const double sample_hz =
        sample_rate_.empty() ? 0 : parse_frequency_of("--sample-rate", sample_rate_).hertz;
    try {
      if (!arguments.captured.empty()) {
        format = synthesis_of(arguments, sample_hz).format;
        validate(format);
        SendStream captured =
            captured_stream(arguments, "VDIF", std::make_unique<sensors::VdifCodec>(format));
        captured.shares_port = true;
        return captured;
      }
      if (arguments.files.size() > 1)
        throw ConfigError(
            fmt::format("{} VDIF files are given: expected one with all threads", arguments.files.size()));
      if (arguments.files.empty()) {
        const sensors::VdifSynthesisOptions options = synthesis_of(arguments, sample_hz);
        format = options.format;
        made.stream = std::make_unique<sensors::VdifSynthesis>(options);
      } else {
        format = sensors::read_vdif_format(arguments.files.front());
        if (sample_hz > 0) format.sample_hz = sample_hz;
        format.has_sequence = is_numbered_;
        validate(format);
        made.stream = std::make_unique<sensors::VdifRecording>(arguments.files.front(), format);
      }
    } catch (const sensors::OptionError& error) {
      throw ConfigError(fmt::format(
          "{}: {}",
          error.option() == "sample_rate" ? "--sample-rate" : place_of(error.option(), "VDIF stream"),
          error.what()));
    }
    made.lanes = format.threads.size();
    made.shares_port = true;
    made.description =
        fmt::format("VDIF of station {}, threads {}, {} channel{} of {} bits, {}", format.station.value_or(1),
                    fmt::join(format.threads, " "), format.channels, format.channels == 1 ? "" : "s",
                    format.bits, format.is_complex ? "complex" : "real");
    return made;
  }

 private:
  [[nodiscard]] sensors::VdifSynthesisOptions synthesis_of(const SendStreamArguments& arguments,
                                                           double sample_hz) const {
    sensors::VdifSynthesisOptions options;
    sensors::VdifFormat& format = options.format;
    format.threads.clear();
    for (std::size_t i = 0; i < threads_; ++i) format.threads.push_back(static_cast<std::uint16_t>(i));
    format.channels = channels_;
    format.bits = arguments.bits != 0 ? arguments.bits : 2;
    format.is_complex = is_complex_;
    format.payload_bytes = payload_;
    format.has_sequence = is_numbered_;
    format.station = static_cast<std::uint16_t>(arguments.station);
    format.sample_hz = sample_hz > 0 ? sample_hz : 32e6;
    options.signal = made_signal(arguments, options.signal.noise, threads_);
    if (!arguments.tone.empty()) options.tone_hz = parse_frequency_of("--tone", arguments.tone).hertz;
    options.second = first_second(arguments);
    return options;
  }

  std::size_t threads_ = 1, channels_ = 1, payload_ = 8000;
  std::string sample_rate_;
  bool is_complex_ = false, is_numbered_ = false;
};

}  // namespace

std::unique_ptr<SendFormat> send_vdif() {
  return std::make_unique<SendVdif>();
}

}  // namespace takt::cli
