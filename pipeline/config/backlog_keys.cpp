#include "pipeline/config/backlog_keys.hpp"

#include <fmt/format.h>

#include "pipeline/config/written_parameters.hpp"

namespace takt::pipeline {

using sensors::BacklogPolicy;

const std::vector<ParameterSpec>& backlog_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "policy",
       .help = "what to do when too many frames wait",
       .choices = {"block", "drop_newest", "drop_oldest", "decimate", "spill"}},
      {.name = "depth",
       .type = ParameterType::integer,
       .fallback = "8",
       .help = "capacity in memory, in frames",
       .minimum = 1,
       .maximum = 65536},
      {.name = "spill",
       .type = ParameterType::bytes,
       .fallback = "1 GiB",
       .help = "capacity on disk, for policy spill",
       .minimum = 1},
      {.name = "folder",
       .fallback = "",
       .help = "directory of the spill file; default: the system's directory for temporary files"}};
  return specification;
}

void read_backlog(const YamlNode& stage, const std::filesystem::path& folder, Draft& draft,
                  ErrorList& errors) {
  const YamlNode node = stage["backlog"];
  if (!node) return;
  draft.backlog_where = node.where();
  const std::string owner = fmt::format("{}: 'backlog'", draft.title());
  if (!node.is_mapping())
    return errors.add(node.where(),
                      fmt::format("{} must be a mapping such as {{policy: drop_oldest}}, not {}", owner,
                                  describe(node.kind())));
  const std::optional<Parameters> values =
      read_parameters(node, backlog_keys(), {}, folder, node.where(), owner, errors);
  if (!values) return;
  draft.backlog = {.policy = sensors::parse_backlog_policy(values->text("policy")),
                   .depth = static_cast<std::size_t>(values->integer("depth")),
                   .spill = values->bytes("spill"),
                   .folder = values->text("folder")};
}

void check_backlog(const Draft& draft, Bytes frame_size) {
  if (!draft.backlog || draft.backlog->policy != BacklogPolicy::spill) return;
  if (sensors::records_in(draft.backlog->spill, frame_size.count) == 0)
    throw ConfigError(draft.backlog_where,
                      fmt::format("{}: 'backlog': a 'spill' of {} is too small for a frame of {}",
                                  draft.title(), to_string(draft.backlog->spill), to_string(frame_size)));
}

const std::vector<ParameterSpec>& transient_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "before", .type = ParameterType::time, .help = "length of the buffer, which a trigger writes"},
      {.name = "after",
       .type = ParameterType::time,
       .fallback = "0",
       .help = "time after the trigger that is also written"},
      {.name = "trigger",
       .fallback = "",
       .help = "task whose events trigger a write; default: only the user's signal (SIGUSR2)"}};
  return specification;
}

void read_transient(const YamlNode& stage, const std::filesystem::path& folder, Draft& draft,
                    ErrorList& errors) {
  const YamlNode node = stage["transient"];
  if (!node) return;
  draft.transient_where = node.where();
  const std::string owner = fmt::format("{}: 'transient'", draft.title());
  if (!node.is_mapping())
    return errors.add(node.where(), fmt::format("{} must be a mapping such as {{before: 10 s}}, not {}",
                                                owner, describe(node.kind())));
  const std::optional<Parameters> values =
      read_parameters(node, transient_keys(), {}, folder, node.where(), owner, errors);
  if (!values) return;
  draft.transient = {.before = values->time("before"), .after = values->time("after")};
  if (const std::string trigger = values->text("trigger"); !trigger.empty())
    draft.inputs.push_back({trigger, values->where("trigger"), {}});
}

void check_transient(const Draft& draft) {
  if (!draft.transient) return;
  try {
    sensors::validate(*draft.transient, draft.output);
  } catch (const ConfigError& error) {
    throw ConfigError(draft.transient_where,
                      fmt::format("{}: 'transient': {}", draft.title(), error.message()));
  }
}

}  // namespace takt::pipeline
