#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/send_streams.hpp"
#include "core/units.hpp"

namespace takt::cli {

void add_sky_options(Command& command, SendStreamArguments& arguments) {
  const auto number = [&](const char* name, auto& value, const char* help, Range range = {}) -> Argument& {
    return command.number(name, value, help, range).group(made_up_group);
  };
  const auto text = [&](const char* name, std::string& value, const char* help, const char* form) {
    command.add(name, value, help).value(form).group(made_up_group);
  };
  number("--noise", arguments.noise,
         "Standard deviation of each real or imaginary part, in counts; default: LOFAR and SPEAD "
         "10, VDIF 2.2, GNU Radio 1",
         {0});
  text("--tone", arguments.tone,
       "Tone; LOFAR: sky frequency (150.2MHz); VDIF: in the first channel of each thread; SPEAD: over all "
       "elements of a heap",
       "FREQUENCY");
  number("--amplitude", arguments.amplitude, "Amplitude of the tone, in counts").fallback("10");
  number("--drift", arguments.drift, "Drift of the tone, in Hz/s").fallback("0");
  number("--common", arguments.common,
         "Noise of the sky, equal in all lanes and in all senders with the same --sky-seed", {0})
      .fallback("0");
  number("--pulse", arguments.pulse,
         "Additional standard deviation of the sky's noise during pulses, in counts", {0})
      .fallback("0");
  text("--pulse-period", arguments.pulse_period,
       "Period of the pulses, which begin at multiples of it since 1970", "TIME");
  text("--pulse-width", arguments.pulse_width, "Length of a pulse; default: a twentieth of the period",
       "TIME");
  number("--dm", arguments.dispersion_measure, "Dispersion measure of the pulses, pc/cm^3", {0})
      .fallback("0");
  text("--frequency", arguments.frequency,
       "Sky frequency of frequency 0 of the first channel, for --dm (LOFAR: use --subbands)", "FREQUENCY");
  command
      .add("--delay", arguments.delays,
           "Delay of the sky signal at this station: one per lane, or one for all")
      .value("TIME")
      .with_commas()
      .group(made_up_group);
  number("--sky-seed", arguments.sky_seed, "Seed of the sky noise").fallback("1");
}

sensors::MadeSignal made_signal(const SendStreamArguments& arguments, double noise, std::size_t lanes) {
  sensors::MadeSignal signal{.noise = arguments.noise >= 0 ? arguments.noise : noise};
  if (!arguments.tone.empty()) signal.tone_amplitude = arguments.amplitude;
  signal.drift_hz_per_second = arguments.drift;
  signal.common = arguments.common;
  signal.pulse_amplitude = arguments.pulse;
  if (!arguments.pulse_period.empty())
    signal.pulse_period = parse_positive_duration("--pulse-period", arguments.pulse_period);
  signal.pulse_width = arguments.pulse_width.empty()
                           ? signal.pulse_period / 20
                           : parse_positive_duration("--pulse-width", arguments.pulse_width);
  signal.dispersion_measure = arguments.dispersion_measure;
  if (!arguments.frequency.empty())
    signal.channel_hz = {parse_frequency_of("--frequency", arguments.frequency).hertz};
  for (const std::string& delay : arguments.delays)
    signal.delays.push_back(parse_duration_of("--delay", delay));
  if (signal.delays.size() == 1) signal.delays.resize(lanes, signal.delays.front());
  signal.seed = arguments.seed;
  signal.sky_seed = arguments.sky_seed;
  return signal;
}

std::string place_of(const std::string& option, const char* stream) {
  for (const char* known : {"noise", "tone", "drift", "common", "pulse", "dm", "frequency", "delay"})
    if (option == known) return "--" + option;
  return stream;
}

}  // namespace takt::cli
