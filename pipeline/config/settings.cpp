#include "pipeline/config/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/yaml_override.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/devices.hpp"
#include "pipeline/config/written_parameters.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::pipeline {

namespace {

constexpr std::array<std::string_view, 11> keys{"name",      "plugins",   "sources",   "join",
                                                "tasks",     "sinks",     "rate",      "latency",
                                                "objective", "scheduler", "deployment"};

using schedulers::Objective;

/// Objectives of pipelines; the makespan is of no use for streams.
constexpr std::array objectives{Objective::frequency, Objective::latency, Objective::processors};

const std::vector<ParameterSpec>& objective_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "name",
       .fallback = "",
       .help = "objective of the schedule; default: latency with a rate (of the pipeline or its source) and "
               "no named scheduler, else frequency",
       .choices = {"frequency", "latency", "processors"}},
      {.name = "margin",
       .type = ParameterType::number,
       .fallback = fmt::format("{}", Pipeline::default_margin),
       .help = "factor by which a schedule must exceed the required rate",
       .minimum = 1,
       .maximum = 1000}};
  return specification;
}

const std::vector<ParameterSpec>& scheduler_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "name", .fallback = "", .help = "scheduler; default: by the objective"},
      {.name = "seed",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "seed of randomised schedulers",
       .minimum = 0},
      {.name = "effort",
       .type = ParameterType::integer,
       .fallback = "0",
       .help = "number of steps of search schedulers; 0: their default",
       .minimum = 0}};
  return specification;
}

std::vector<ParameterSpec> own_deployment_keys() {
  return {
      {.name = "ranks",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "number of MPI ranks",
       .minimum = 1,
       .maximum = Deployment::most_ranks},
      {.name = "machine",
       .fallback = "",
       .help = "machine file or logp:...; default: takt measures the links"},
      {.name = "depth",
       .type = ParameterType::integer,
       .fallback = "0",
       .help = "number of frames that may wait between two ranks; 0: by their size",
       .minimum = 0,
       .maximum = 4096},
      {.name = "transport",
       .fallback = "auto",
       .help = "auto: ranks of one node share frames in memory; mpi: they send messages as between nodes",
       .choices = {"auto", "mpi"}},
      {.name = "tiles",
       .fallback = "auto",
       .help = "tiles per frame, for frames that exceed the caches: auto, none or a number"},
      {.name = "pin",
       .type = ParameterType::texts,
       .fallback = "none",
       .help = "auto: binds each rank to its own core if there are enough; [0, 2]: to these processors, "
               "by rank; none: no binding"},
      {.name = "cores_per_rank",
       .fallback = "1",
       .help = "cores of each rank, for kernels that run tasks; auto: one, or an equal share of the node's "
               "cores if that costs less"},
      {.name = "realtime",
       .type = ParameterType::integer,
       .fallback = "0",
       .help = "real-time priority (SCHED_FIFO, 1 to 99) of the threads that process frames; 0: ordinary "
               "threads",
       .minimum = 0,
       .maximum = 99},
      {.name = "lock_memory",
       .type = ParameterType::boolean,
       .fallback = "false",
       .help = "lock the memory of the ranks: it is never swapped out"},
      {.name = "share",
       .type = ParameterType::texts,
       .fallback = "none",
       .help = "[0.4, 0.2]: CPU share of each rank under contention; none: the default share"},
      {.name = "serve",
       .fallback = "auto",
       .help = "port or address:port of the live page and the Prometheus metrics; auto: 9464 on "
               "loopback, or any free port; off: none"},
      {.name = "deadline",
       .type = ParameterType::time,
       .fallback = "10 s",
       .help = "longest time of a task for one frame, if it exceeds 100 times the usual; 0: no limit"},
      {.name = "setup_deadline",
       .type = ParameterType::time,
       .fallback = "60 s",
       .help = "longest time to create, configure, open or start a task, to start MPI on a rank, and to "
               "measure the links; 0: no limit"},
      {.name = "end_deadline",
       .type = ParameterType::time,
       .fallback = "60 s",
       .help = "longest time of a kernel to flush at the end of the stream, and of a task to close; 0: "
               "no limit"}};
}

const std::vector<ParameterSpec>& deployment_keys() {
  static const std::vector<ParameterSpec> specification = [] {
    std::vector<ParameterSpec> all = own_deployment_keys();
    all.insert(all.end(), site_keys().begin(), site_keys().end());
    return all;
  }();
  return specification;
}

const std::vector<ParameterSpec>& joining_keys() {
  static const std::vector<ParameterSpec> specification{
      {.name = "wait",
       .type = ParameterType::time,
       .fallback = "0",
       .help = "largest delay of a source after the other sources; 0: half of the smallest queue of a live "
               "source"},
      {.name = "longest_gap",
       .type = ParameterType::time,
       .fallback = "10 s",
       .help = "largest clock offset: a source with a larger one is left out"}};
  return specification;
}

/// Returns the text of a top-level key; nothing if it is absent or (an error) not a text.
std::optional<std::string> text_at(const YamlNode& root, std::string_view key, ErrorList& errors) {
  const YamlNode node = root[key];
  if (!node) return std::nullopt;
  if (node.is_text()) return std::string(node.text());
  errors.add(node.where(), fmt::format("'{}' must be a single value, not {}", key, describe(node.kind())));
  return std::nullopt;
}

/// Returns the keys of a top-level mapping; nothing if it is absent or has errors.
std::optional<Parameters> mapping_at(const YamlNode& root, std::string_view key,
                                     const std::vector<ParameterSpec>& specification, ErrorList& errors,
                                     std::span<const std::string_view> own_keys = {}) {
  const YamlNode node = root[key];
  if (!node) return std::nullopt;
  if (node.is_mapping())
    return read_parameters(node, specification, own_keys, {}, node.where(), fmt::format("'{}'", key), errors);
  errors.add(node.where(), fmt::format("'{}' must be a mapping, not {}", key, describe(node.kind())));
  return std::nullopt;
}

void read_rate(const YamlNode& root, Pipeline& pipeline, ErrorList& errors) {
  const std::optional<std::string> text = text_at(root, "rate", errors);
  if (!text) return;
  try {
    const double hertz = parse_frequency(*text).hertz;
    if (hertz <= 0) throw ConfigError("expected more than 0 Hz");
    pipeline.goal.rate = {1e9 / hertz};
    pipeline.rate_where = root["rate"].where();
  } catch (const ConfigError& error) {
    errors.add(root["rate"].where(), fmt::format("'rate': {}", error.message()));
  }
}

void read_latency(const YamlNode& root, Pipeline& pipeline, ErrorList& errors) {
  const YamlNode node = root["latency"];
  if (!node) return;
  pipeline.latency = read_latency_limit(node, errors);
  pipeline.latency_where = node.where();
}

void read_scheduler(const YamlNode& root, Pipeline& pipeline, ErrorList& errors) {
  const std::optional<Parameters> values = mapping_at(root, "scheduler", scheduler_keys(), errors);
  if (!values) return;
  schedulers::Goal& goal = pipeline.goal;
  goal.options.seed = static_cast<std::uint64_t>(values->integer("seed"));
  if (values->integer("effort") > 0)
    goal.options.effort = static_cast<std::uint64_t>(values->integer("effort"));
  goal.scheduler = values->text("name");
  if (goal.scheduler.empty() || goal.scheduler == schedulers::automatic) return;
  try {
    (void)schedulers::find_scheduler(goal.scheduler, {schedulers::automatic});
  } catch (const ConfigError& error) {
    errors.add(values->where("name"), error.message());
  }
}

/// Call after the rate and the scheduler have been read: the default objective depends on them.
void read_objective(const YamlNode& root, Pipeline& pipeline, ErrorList& errors) {
  schedulers::Goal& goal = pipeline.goal;
  goal.objective = goal.rate && goal.scheduler.empty() ? Objective::latency : Objective::frequency;
  pipeline.leaves_goal_open = !goal.rate && goal.scheduler.empty();
  const std::optional<Parameters> values = mapping_at(root, "objective", objective_keys(), errors);
  if (!values) return;
  goal.margin = values->number("margin");
  pipeline.has_own_margin = root["objective"].is_mapping() && root["objective"]["margin"];
  const std::string name = values->text("name");
  if (name.empty()) return;
  pipeline.leaves_goal_open = false;
  pipeline.names_objective = true;
  goal.objective = schedulers::find_objective(name, objectives);
  if (!needs_rate(goal.objective)) return;
  if (!root["rate"])
    errors.add(
        values->where("name"),
        fmt::format("objective '{}' needs the required rate: expected for example 'rate: 50 Hz'", name));
  if (!goal.scheduler.empty())
    errors.add(values->where("name"), fmt::format("objective '{}' chooses from many schedulers: expected no "
                                                  "named scheduler, or objective 'frequency'",
                                                  name));
}

void read_machine(const YamlNode& node, Pipeline& pipeline, ErrorList& errors) {
  // A value with a colon describes the machine; everything else is a file.
  std::string& machine = pipeline.deployment.machine;
  if (machine.find(':') == std::string::npos) machine = input_path(node, pipeline.file.parent_path());
  try {
    (void)logp::parse_machine(machine);
  } catch (const ConfigError& error) {
    errors.add(node.where(), fmt::format("'deployment': {}", error.what()));
  }
}

std::optional<std::size_t> read_tiles(const Parameters& values) {
  const std::string text = values.text("tiles");
  if (text == "auto") return std::nullopt;
  if (text == "none") return 1;
  constexpr std::size_t most = 1 << 20;
  std::size_t tiles = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), tiles);
  if (error != std::errc{} || rest != text.data() + text.size() || tiles < 1 || tiles > most)
    values.refuse("tiles", fmt::format("expected auto, none or a number from 1 to {}, got '{}'", most, text));
  return tiles;
}

std::optional<std::size_t> read_cores(const Parameters& values) {
  const std::string text = values.text("cores_per_rank");
  if (text == "auto") return std::nullopt;
  constexpr std::size_t most = 1024;
  std::size_t cores = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), cores);
  if (error != std::errc{} || rest != text.data() + text.size() || cores < 1 || cores > most)
    values.refuse("cores_per_rank",
                  fmt::format("expected auto or a number from 1 to {}, got '{}'", most, text));
  return cores;
}

Pinning read_pinning(const Parameters& values, std::size_t ranks, std::optional<std::size_t> cores,
                     bool is_on_one_host) {
  Pinning pinning{.where = values.where("pin")};
  const std::vector<std::string> texts = values.texts("pin");
  if (texts == std::vector<std::string>{"none"}) return pinning;
  pinning.is_automatic = texts == std::vector<std::string>{"auto"};
  if (pinning.is_automatic) return pinning;
  for (const std::string& text : texts) {
    std::size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || rest != text.data() + text.size())
      values.refuse(
          "pin",
          fmt::format("'{}' is not the number of a processor: expected none, auto or a list such as [0, 2]",
                      text));
    if (is_on_one_host && std::ranges::count(pinning.processors, number) > 0)
      values.refuse("pin", fmt::format("processor {} is given twice", number));
    pinning.processors.push_back(number);
  }
  if (!cores) values.refuse("pin", "a list of processors needs a number for 'cores_per_rank', found auto");
  if (pinning.processors.size() < ranks * *cores)
    values.refuse("pin", fmt::format("{} processor{} for {} ranks{}", pinning.processors.size(),
                                     pinning.processors.size() == 1 ? "" : "s", ranks,
                                     *cores > 1 ? fmt::format(" of {} cores", *cores) : ""));
  return pinning;
}

std::vector<double> read_shares(const Parameters& values, std::size_t ranks) {
  std::vector<double> shares;
  const std::vector<std::string> texts = values.texts("share");
  if (texts == std::vector<std::string>{"none"}) return shares;
  for (const std::string& text : texts) {
    double share = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    if (error != std::errc{} || rest != text.data() + text.size() || !(share > 0 && share <= 1))
      values.refuse("share", fmt::format("'{}' is not a CPU share: expected none or a list of numbers above "
                                         "0 and up to 1, such as [0.4, 0.2]",
                                         text));
    shares.push_back(share);
  }
  if (shares.size() != ranks)
    values.refuse("share", fmt::format("{} share{} for {} rank{}", shares.size(),
                                       shares.size() == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s"));
  return shares;
}

void read_joining(const YamlNode& root, Pipeline& pipeline, ErrorList& errors) {
  const std::optional<Parameters> values = mapping_at(root, "join", joining_keys(), errors);
  if (!values) return;
  pipeline.joining = {.wait = values->time("wait"),
                      .wait_where = values->where("wait"),
                      .longest_gap = values->time("longest_gap")};
  if (pipeline.joining.longest_gap <= Time{0})
    errors.add(values->where("longest_gap"),
               "'join': parameter 'longest_gap': expected more than 0, for example 10 s");
}

/// Returns the number of ranks from the file, or one for each slot or node if it names only hosts or
/// nodes.
std::size_t number_of_ranks(const Parameters& values, bool is_written, const Deployment& deployment) {
  if (is_written) return static_cast<std::size_t>(values.integer("ranks"));
  std::size_t slots = deployment.slurm ? deployment.slurm->nodes : 0;
  for (const HostSlots& host : deployment.site.hosts) slots += host.slots;
  return std::clamp<std::size_t>(slots, 1, Deployment::most_ranks);
}

void read_deployment(const YamlNode& root, Pipeline& pipeline, ErrorList& errors) {
  static constexpr std::array<std::string_view, 3> own_keys{"slurm", "restart", "devices"};
  const std::optional<Parameters> values =
      mapping_at(root, "deployment", deployment_keys(), errors, own_keys);
  if (!values) return;
  const bool sets_ranks = static_cast<bool>(root["deployment"]["ranks"]);
  Deployment& deployment = pipeline.deployment;
  deployment.ranks_where = values->where("ranks");
  deployment.machine = values->text("machine");
  deployment.machine_where = values->where("machine");
  deployment.depth = static_cast<std::size_t>(values->integer("depth"));
  if (values->text("transport") == "mpi") deployment.transport = Transport::mpi;
  deployment.realtime = static_cast<int>(values->integer("realtime"));
  deployment.realtime_where = values->where("realtime");
  deployment.locks_memory = values->boolean("lock_memory");
  deployment.lock_memory_where = values->where("lock_memory");
  deployment.deadlines = {.set_up = values->time("setup_deadline"),
                          .frame = values->time("deadline"),
                          .end = values->time("end_deadline")};
  deployment.serve = values->text("serve");
  std::optional<std::size_t> ranks;
  if (sets_ranks) ranks = static_cast<std::size_t>(values->integer("ranks"));
  deployment.site = read_site(*values, ranks, errors);
  deployment.slurm = read_slurm(root["deployment"], errors);
  deployment.restart = read_restart(root["deployment"], errors);
  deployment.devices = read_devices(root["deployment"], errors);
  deployment.ranks = number_of_ranks(*values, sets_ranks, deployment);
  errors.attempt([&] { deployment.tiles = read_tiles(*values); });
  deployment.cores_where = values->where("cores_per_rank");
  errors.attempt([&] { deployment.cores_per_rank = read_cores(*values); });
  errors.attempt([&] {
    deployment.pinning =
        read_pinning(*values, deployment.ranks, deployment.cores_per_rank, deployment.site.hosts.size() <= 1);
  });
  errors.attempt([&] { deployment.shares = read_shares(*values, deployment.ranks); });
  if (!deployment.machine.empty()) read_machine(root["deployment"]["machine"], pipeline, errors);
}

}  // namespace

std::vector<SettingKeys> all_setting_keys() {
  return {{"objective", "goal of the schedule", true, objective_keys()},
          {"scheduler", "the scheduler and its options", true, scheduler_keys()},
          {"join", "how several sources are joined", false, joining_keys()},
          {"deployment",
           "ranks, hosts and limits of a run",
           false,
           deployment_keys(),
           {{"slurm", "Slurm resources for takt submit", false, slurm_keys()},
            {"restart", "restarts after the death of a rank", false, restart_keys()},
            {.name = "devices",
             .summary = "devices of asynchronous tasks, by name",
             .keys = device_keys(),
             .is_by_name = true}}}};
}

std::string top_level_keys() {
  return fmt::format("{}", fmt::join(keys, ", "));
}

void expand_names(YamlTree& tree) {
  for (const std::string_view key : {"objective", "scheduler"}) expand_name(tree, key);
}

void read_settings(const YamlNode& root, Pipeline& pipeline, ErrorList& errors) {
  for (const auto& [key, value] : root.pairs())
    if (std::ranges::find(keys, key.text()) == keys.end())
      errors.add(key.where(), unknown_name("key", key.text(), {keys.begin(), keys.end()}));
  pipeline.name = text_at(root, "name", errors).value_or(pipeline.file.stem().string());
  read_rate(root, pipeline, errors);
  read_latency(root, pipeline, errors);
  read_scheduler(root, pipeline, errors);
  read_objective(root, pipeline, errors);
  read_joining(root, pipeline, errors);
  read_deployment(root, pipeline, errors);
}

}  // namespace takt::pipeline
