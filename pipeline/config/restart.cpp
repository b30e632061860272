#include "pipeline/config/restart.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/config/written_parameters.hpp"

namespace takt::pipeline {

namespace {

constexpr const char* owner = "'deployment': 'restart'";

}  // namespace

const std::vector<ParameterSpec>& restart_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "attempts",
       .type = ParameterType::integer,
       .fallback = "3",
       .help = "largest number of restarts of the run",
       .minimum = 1,
       .maximum = 1'000'000},
      {.name = "backoff",
       .type = ParameterType::time,
       .fallback = "1 s",
       .help = "pause before a restart; doubles after each restart without progress, up to a minute",
       .minimum = 0},
      {.name = "every",
       .type = ParameterType::time,
       .fallback = "1 s",
       .help = "interval of checkpoints: a restart repeats at most this much, or loses it if the stream "
               "cannot be read again",
       .minimum = 1},
      {.name = "forget",
       .type = ParameterType::boolean,
       .fallback = "false",
       .help = "whether kernels without Kernel::save restart with an empty state, and transient buffers lose "
               "their frames; otherwise takt refuses the run"}};
  return specification;
}

std::optional<Restart> read_restart(const YamlNode& deployment, ErrorList& errors) {
  const YamlNode node = deployment["restart"];
  if (!node) return std::nullopt;
  if (!node.is_mapping()) {
    errors.add(node.where(), fmt::format("{} must be a mapping such as {{attempts: 3, backoff: 1 s}}, not {}",
                                         owner, describe(node.kind())));
    return std::nullopt;
  }
  const std::optional<Parameters> values =
      read_parameters(node, restart_keys(), {}, {}, node.where(), owner, errors);
  if (!values) return std::nullopt;
  return Restart{.attempts = static_cast<std::uint64_t>(values->integer("attempts")),
                 .backoff = values->time("backoff"),
                 .every = values->time("every"),
                 .forgets = values->boolean("forget"),
                 .where = node.where()};
}

}  // namespace takt::pipeline
