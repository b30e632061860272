#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options.hpp"
#include "cli/send_streams.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "sensors/mseed/seedlink_server.hpp"
#include "sensors/mseed/synthesis.hpp"
#include "sensors/option_error.hpp"

namespace takt::cli {

namespace {

class SendSeedlink final : public SendFormat {
 public:
  void declare(Command& command) override {
    command
        .add("--traces", traces_,
             "Channels, NET.STA.LOC.CHA; default: XX.TAKT.00.HHZ, or all channels of the files")
        .group(made_up_seedlink_group)
        .value("CHANNEL")
        .with_commas();
    command.add("--trace-rate", rate_, "Sample rate of a synthetic channel")
        .group(made_up_seedlink_group)
        .value("FREQUENCY")
        .fallback("100Hz");
  }

  [[nodiscard]] std::vector<std::string> ways() const override { return {}; }

  [[nodiscard]] std::vector<std::string> options_of_files() const override { return {"--traces"}; }

  [[nodiscard]] SendStream make(const SendStreamArguments& arguments) const override {
    if (arguments.to.size() != 1)
      throw ConfigError(
          fmt::format("--to: {} addresses are given: expected one, to listen on", arguments.to.size()));
    if (!arguments.captured.empty())
      throw ConfigError("--captured is for datagrams, and SeedLink uses TCP: expected miniSEED files");
    SendStream made;
    std::vector<std::string> channels = traces_;
    if (arguments.files.empty()) {
      sensors::MseedSynthesisOptions options;
      if (!channels.empty()) options.channels = channels;
      channels = options.channels;
      options.rate_hz = parse_frequency_of("--trace-rate", rate_).hertz;
      options.signal = made_signal(arguments, options.signal.noise, channels.size());
      if (!arguments.tone.empty()) options.tone_hz = parse_frequency_of("--tone", arguments.tone).hertz;
      options.second = first_second(arguments);
      try {
        made.stream = std::make_unique<sensors::MseedSynthesis>(options);
      } catch (const sensors::OptionError& error) {
        throw ConfigError(fmt::format("{}: {}",
                                      error.option() == "channels" ? "--traces"
                                      : error.option() == "rate"
                                          ? "--trace-rate"
                                          : place_of(error.option(), "miniSEED stream"),
                                      error.what()));
      }
    } else {
      auto recording = std::make_unique<sensors::MseedRecording>(
          std::vector<std::filesystem::path>(arguments.files.begin(), arguments.files.end()), channels);
      channels = recording->channels();
      made.stream = std::move(recording);
    }
    const sensors::Destination at = sensors::parse_destination(arguments.to.front());
    made.lanes = channels.size();
    made.shares_port = true;
    made.description = fmt::format("miniSEED of {} by SeedLink", fmt::join(channels, " "));
    made.goes_in_datagrams = false;
    made.send = [=, receivers = arguments.receivers](sensors::PacketStream& stream,
                                                     const sensors::EmulatorOptions& options,
                                                     const std::atomic<bool>& stop) {
      sensors::SeedlinkServer server({.address = at.host, .port = at.port, .channels = channels});
      server.wait_for_clients(receivers, stop);
      const sensors::EmulatorReport report = sensors::emulate(stream, server, options, stop);
      server.finish(stop);
      return report;
    };
    return made;
  }

 private:
  std::vector<std::string> traces_;
  std::string rate_ = "100Hz";
};

}  // namespace

std::unique_ptr<SendFormat> send_seedlink() {
  return std::make_unique<SendSeedlink>();
}

}  // namespace takt::cli
