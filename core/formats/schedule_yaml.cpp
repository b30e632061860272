#include "core/formats/schedule_yaml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/formats/graph_yaml_node.hpp"
#include "core/formats/letters.hpp"
#include "core/formats/yaml_values.hpp"

namespace takt {

namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::uint32_t>::max();
/// Nine years of nanoseconds: a few such times can be added without overflow.
constexpr std::int64_t largest_time = std::int64_t{1} << 58;

/// Returns the data that each task produces, in order of their ids.
std::vector<std::vector<DatumId>> data_of_tasks(const TaskGraph& graph) {
  std::vector<std::vector<DatumId>> data(graph.task_count());
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    data[graph.datum_task(datum).index()].push_back(datum);
  return data;
}

constexpr std::array<std::string_view, 19> keys{
    "scheduler",    "replicas",      "least_repetition", "period_bound", "period_bound_among",
    "optimal",      "optimal_among", "makespan_bound",   "guarantee",    "streams",
    "processors",   "messages",      "decisions",        "machine",      "graph",
    "whole_frames", "repetition",    "travelling",       "devices"};

class ScheduleReader {
 public:
  ScheduleReader(const YamlNode& root, ErrorList& errors) : root_(root), errors_(errors) {}

  std::optional<ScheduledGraph> read() && {
    const std::size_t errors_before = errors_.size();
    expect_mapping(root_, "a schedule", keys);
    check_keys(root_, "a schedule", keys, errors_);
    graph_ = read_graph(require("graph"), errors_);
    if (errors_.size() != errors_before) return std::nullopt;
    data_ = data_of_tasks(graph_);
    for (TaskId id : graph_.tasks()) tasks_.emplace(graph_.task(id).name, id);

    errors_.attempt([&] { read_properties(); });
    const YamlNode processors = require("processors");
    if (!processors.is_mapping())
      refuse(processors, "expected the processors as a mapping from their numbers");
    schedule_.processors.resize(processors.size());
    if (const YamlNode messages = root_["messages"])
      read_list(messages, "messages", errors_, [&](const YamlNode& node) { read_message(node); });
    // With missing messages, operations would report spurious errors.
    if (errors_.size() != errors_before) return std::nullopt;
    read_processors(processors);
    if (const YamlNode devices = root_["devices"])
      read_list(devices, "devices", errors_, [&](const YamlNode& node) { read_device(node); });
    check_replicas(root_["replicas"]);
    if (const YamlNode decisions = root_["decisions"])
      read_list(decisions, "decisions", errors_,
                [&](const YamlNode& node) { decisions_.push_back(decision(node)); });
    if (errors_.size() != errors_before) return std::nullopt;
    return ScheduledGraph{std::move(graph_), std::move(schedule_), std::move(decisions_),
                          std::move(requirements_)};
  }

 private:
  YamlNode require(std::string_view key) const { return takt::require(root_, "a schedule", key); }

  void read_tasks(std::string_view key, std::vector<TaskId>& tasks) {
    if (const YamlNode list = root_[key])
      read_list(list, key, errors_, [&](const YamlNode& node) { tasks.push_back(task(node)); });
    std::ranges::sort(tasks);
  }

  void read_properties() {
    schedule_.scheduler = read_text(require("scheduler"), "scheduler");
    if (const YamlNode replicas = root_["replicas"])
      schedule_.replicas =
          static_cast<std::uint32_t>(read_integer(replicas, "replicas", 1, largest_replicas));
    if (const YamlNode least = root_["least_repetition"])
      schedule_.least_repetition = read_time(least, "least_repetition");
    if (const YamlNode repetition = root_["repetition"])
      schedule_.repetition = Time(read_integer(repetition, "repetition", 1, largest_time));
    read_tasks("whole_frames", schedule_.whole_frames);
    read_tasks("travelling", schedule_.travelling);
    if (const YamlNode bound = root_["period_bound"]) schedule_.period_bound = period(bound, "period_bound");
    if (const YamlNode among = root_["period_bound_among"])
      schedule_.period_bound_among = read_text(among, "period_bound_among");
    if (const YamlNode bound = root_["makespan_bound"])
      schedule_.makespan_bound = read_time(bound, "makespan_bound");
    if (const YamlNode guarantee = root_["guarantee"]) schedule_.guarantee = ratio(guarantee, "guarantee");
    if (const YamlNode streams = root_["streams"])
      read_list(streams, "streams", errors_, [&](const YamlNode& node) { read_requirement(node); });
    if (const YamlNode optimal = root_["optimal"]) schedule_.optimal = read_boolean(optimal, "optimal");
    if (const YamlNode among = root_["optimal_among"])
      schedule_.optimal_among = read_text(among, "optimal_among");
  }

  static double number(const YamlNode& node, std::string_view what, bool (*is_good)(double),
                       const char* expected) {
    return read_with(node, what, [&](std::string_view text) {
      double value = 0;
      const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc{} || rest != text.data() + text.size() || !std::isfinite(value) ||
          !is_good(value))
        throw ConfigError(expected);
      return value;
    });
  }
  static double ratio(const YamlNode& node, std::string_view what) {
    return number(
        node, what, [](double value) { return value >= 1; }, "expected a number of at least 1");
  }

  void read_requirement(const YamlNode& node) {
    static constexpr std::array<std::string_view, 3> known{"name", "required_period", "margin"};
    constexpr std::string_view what = "a stream";
    expect_mapping(node, what, known);
    check_keys(node, what, known, errors_);
    StreamRequirement& each = requirements_.emplace_back();
    each.stream = read_text(takt::require(node, what, "name"), "name");
    each.period = number(
        takt::require(node, what, "required_period"), "required_period",
        [](double value) { return value > 0; }, "expected a number of ticks above 0");
    if (const YamlNode margin = node["margin"]) each.margin = ratio(margin, "margin");
  }

  TaskId task(const YamlNode& node) const {
    const std::string_view name = read_text(node, "a task");
    const auto found = tasks_.find(name);
    if (found == tasks_.end()) {
      std::vector<std::string_view> known;
      for (TaskId id : graph_.tasks()) known.push_back(graph_.task(id).name);
      refuse(node, unknown_name("task", name, std::move(known)));
    }
    return found->second;
  }

  ProcessorId processor(const YamlNode& node) const {
    const auto count = static_cast<std::int64_t>(schedule_.processors.size());
    return ProcessorId(static_cast<std::size_t>(read_integer(node, "processor", 0, count - 1)));
  }

  static Time time(const YamlNode& mapping, std::string_view what, std::string_view key) {
    return Time(read_integer(takt::require(mapping, what, key), key, -largest_time, largest_time));
  }

  /// Parses `time`, or `[time, frames]`.
  static Period period(const YamlNode& node, std::string_view what) {
    if (!node.is_list()) return {read_time(node, what), 1};
    if (node.size() != 2)
      refuse(node, fmt::format("'{}': expected a time, or [time, number of frames]", what));
    return {read_time(*node.begin(), what),
            static_cast<std::uint32_t>(read_integer(*std::next(node.begin()), what, 1, largest_index))};
  }

  void read_message(const YamlNode& node) {
    static constexpr std::array<std::string_view, 5> known{"from", "to", "size", "data", "route"};
    constexpr std::string_view what = "a message";
    expect_mapping(node, what, known);
    check_keys(node, what, known, errors_);
    const YamlNode data = takt::require(node, what, "data");
    expect_list(data, "data");
    std::vector<DatumId> payload;
    for (const YamlNode& each : data) payload.push_back(datum(each));
    const MessageId id = schedule_.add_message(
        processor(takt::require(node, what, "from")), processor(takt::require(node, what, "to")),
        read_bytes(takt::require(node, what, "size"), "size"), payload);
    if (const YamlNode route = node["route"]) read_route(route, schedule_.messages[id.index()]);
  }

  /// Parses `task`, or `[task, index among its data]`.
  DatumId datum(const YamlNode& node) const {
    if (node.is_list() && node.size() != 2) refuse(node, "expected a task, or [task, number of its datum]");
    const TaskId maker = task(node.is_list() ? *node.begin() : node);
    const std::string& name = graph_.task(maker).name;
    const std::vector<DatumId>& data = data_[maker.index()];
    if (data.empty()) refuse(node, fmt::format("task '{}' has no output", excerpt(name)));
    const auto last = static_cast<std::int64_t>(data.size()) - 1;
    if (node.is_list())
      return data[static_cast<std::size_t>(read_integer(*std::next(node.begin()), "datum", 0, last))];
    if (data.size() > 1)
      refuse(node, fmt::format("task '{0}' has {1} outputs: expected [{0}, 0] to [{0}, {2}]", excerpt(name),
                               data.size(), last));
    return data.front();
  }

  void read_route(const YamlNode& route, Message& message) {
    static constexpr std::array<std::string_view, 3> known{"link", "start", "end"};
    constexpr std::string_view what = "a transfer over a link";
    expect_list(route, "a route");
    if (route.size() == 0) return;
    message.first_hop = static_cast<std::uint32_t>(schedule_.hops.size());
    message.hop_count = static_cast<std::uint32_t>(route.size());
    for (const YamlNode& node : route) {
      expect_mapping(node, what, known);
      check_keys(node, what, known, errors_);
      const std::int64_t link = read_integer(takt::require(node, what, "link"), "link", 0, largest_index);
      schedule_.hops.push_back(
          {LinkId(static_cast<std::size_t>(link)), time(node, what, "start"), time(node, what, "end")});
    }
  }

  /// Every instance has at least one computation: a much larger number would waste memory and
  /// time.
  void check_replicas(const YamlNode& node) const {
    std::size_t computations = 0;
    for (const std::vector<Operation>& operations : schedule_.processors)
      computations += static_cast<std::size_t>(std::ranges::count(
          operations, OperationKind::compute, [](const Operation& each) { return each.kind; }));
    constexpr std::size_t in_proportion = 1000;
    if (node && schedule_.replicas > std::max(computations, in_proportion))
      refuse(node, fmt::format("'replicas' is {}, but the schedule has only {} computations",
                               schedule_.replicas, computations));
  }

  void read_processors(const YamlNode& processors) {
    std::int64_t next = 0;
    for (const auto& [key, operations] : processors.pairs()) {
      const std::int64_t number = read_integer(key, "processor", 0, largest_index);
      if (number != next) refuse(key, fmt::format("expected processor {}, found {}", next, number));
      read_list(operations, "the operations of a processor", errors_, [&](const YamlNode& node) {
        schedule_.add(ProcessorId(static_cast<std::size_t>(next)), operation(node));
      });
      ++next;
    }
  }

  Operation operation(const YamlNode& node) {
    static constexpr std::array<std::string_view, 6> known{"compute", "send", "receive",
                                                           "start",   "end",  "instance"};
    constexpr std::string_view what = "an operation";
    expect_mapping(node, what, known);
    check_keys(node, what, known, errors_);
    const YamlNode compute = node["compute"], send = node["send"], receive = node["receive"];
    if ((compute ? 1 : 0) + (send ? 1 : 0) + (receive ? 1 : 0) != 1)
      refuse(node, "expected exactly one of 'compute', 'send' and 'receive'");
    Operation operation;
    if (compute) {
      operation.subject = static_cast<std::uint32_t>(task(compute).index());
    } else {
      operation.kind = send ? OperationKind::send : OperationKind::receive;
      const auto last = static_cast<std::int64_t>(schedule_.messages.size()) - 1;
      operation.subject = static_cast<std::uint32_t>(read_integer(send ? send : receive, "message", 0, last));
    }
    operation.start = time(node, what, "start");
    operation.end = time(node, what, "end");
    if (const YamlNode instance = node["instance"])
      operation.set_instance(
          static_cast<std::uint32_t>(read_integer(instance, "instance", 0, schedule_.replicas - 1)));
    return operation;
  }

  static std::uint32_t count(const YamlNode& node, std::string_view what, std::uint32_t otherwise) {
    constexpr std::int64_t most = 65536;
    return node ? static_cast<std::uint32_t>(read_integer(node, what, 1, most)) : otherwise;
  }

  void read_device(const YamlNode& node) {
    static constexpr std::array<std::string_view, 4> known{"name", "units", "tasks", "operations"};
    static constexpr std::array<std::string_view, 4> known_of_use{"task", "work", "transfer", "depth"};
    constexpr std::string_view what = "a device", what_use = "a task of a device";
    expect_mapping(node, what, known);
    check_keys(node, what, known, errors_);
    Device device{.name = std::string(read_text(takt::require(node, what, "name"), "name")),
                  .units = count(node["units"], "units", 1)};
    read_list(takt::require(node, what, "tasks"), "tasks", errors_, [&](const YamlNode& use) {
      expect_mapping(use, what_use, known_of_use);
      check_keys(use, what_use, known_of_use, errors_);
      device.uses.push_back({.task = task(takt::require(use, what_use, "task")),
                             .work = read_time(takt::require(use, what_use, "work"), "work"),
                             .transfer = use["transfer"] ? read_time(use["transfer"], "transfer") : Time{0},
                             .depth = count(use["depth"], "depth", 1)});
    });
    // Sums of more times could overflow.
    Time total{0};
    for (const DeviceUse& use : device.uses)
      if ((total += use.work + use.transfer) > Time{largest_time})
        refuse(node, fmt::format("the times of device '{}' exceed {}", device.name, largest_time));
    if (const YamlNode operations = node["operations"])
      read_list(operations, "the operations of a device", errors_,
                [&](const YamlNode& each) { device.operations.push_back(operation(each)); });
    schedule_.devices.push_back(std::move(device));
  }

  Decision decision(const YamlNode& node) const {
    static constexpr std::array<std::string_view, 6> known{"task",  "processor", "cluster",
                                                           "start", "end",       "reason"};
    constexpr std::string_view what = "a decision";
    expect_mapping(node, what, known);
    check_keys(node, what, known, errors_);
    const YamlNode on_processor = node["processor"], in_cluster = node["cluster"];
    if ((on_processor ? 1 : 0) + (in_cluster ? 1 : 0) != 1)
      refuse(node, "expected exactly one of 'processor' and 'cluster'");
    Decision decision{.task = task(takt::require(node, what, "task")),
                      .is_cluster = static_cast<bool>(in_cluster)};
    decision.place = in_cluster
                         ? static_cast<std::uint32_t>(read_integer(in_cluster, "cluster", 0, largest_index))
                         : static_cast<std::uint32_t>(processor(on_processor).index());
    decision.start = time(node, what, "start");
    decision.end = time(node, what, "end");
    if (const YamlNode reason = node["reason"]) decision.reason = read_text(reason, "reason");
    return decision;
  }

  YamlNode root_;
  ErrorList& errors_;
  TaskGraph graph_;
  std::vector<std::vector<DatumId>> data_;
  std::unordered_map<std::string_view, TaskId> tasks_;
  Schedule schedule_;
  Decisions decisions_;
  std::vector<StreamRequirement> requirements_;
};

}  // namespace

std::optional<ScheduledGraph> read_schedule(const YamlNode& root, ErrorList& errors) {
  std::optional<ScheduledGraph> result;
  errors.attempt([&] { result = ScheduleReader(root, errors).read(); });
  return result;
}

}  // namespace takt
