#include "schedulers/streams/cyclic_timetable.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/error.hpp"
#include "logp/message_costs.hpp"

namespace takt::schedulers {

namespace {

struct FrameName {
  std::string_view stream, task;
  std::uint32_t frame = 0;
};

/// `stream#frame/task`, taken apart; a task may contain any of these letters, a stream none.
FrameName parse_name(std::string_view name) {
  const std::size_t hash = name.find('#'), slash = name.find('/');
  FrameName parsed;
  const bool has_both = hash != std::string_view::npos && slash != std::string_view::npos && hash < slash;
  if (has_both) {
    parsed = {name.substr(0, hash), name.substr(slash + 1), 0};
    const std::string_view number = name.substr(hash + 1, slash - hash - 1);
    if (const auto [end, error] = std::from_chars(number.begin(), number.end(), parsed.frame);
        error == std::errc{} && end == number.end())
      return parsed;
  }
  throw ConfigError(fmt::format(
      "task '{}' is of no stream: expected a schedule of several streams, with names stream#frame/task",
      name));
}

}  // namespace

CyclicTimetable::CyclicTimetable(const logp::Machine& machine, Time cycle)
    : machine_(machine), cycle_(cycle), schedule_("streams", machine.processor_count()) {}

CyclicTimetable::CyclicTimetable(const logp::Machine& machine, const TaskGraph& graph,
                                 const Schedule& schedule, std::uint32_t repeats)
    : CyclicTimetable(machine, measure(schedule).repetition * repeats) {
  if (schedule.processors.size() != machine.processor_count() || schedule.replicas != 1)
    throw ConfigError(fmt::format("the running schedule is for {} processors, the machine has {}",
                                  schedule.processors.size(), machine.processor_count()));
  std::vector<FrameName> names;
  for (TaskId task : graph.tasks()) names.push_back(parse_name(graph.task(task).name));
  std::vector<std::uint32_t> frames(names.size(), 0);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const FrameName& other : names)
      if (other.stream == names[i].stream) frames[i] = std::max(frames[i], other.frame + 1);

  const Time length = measure(schedule).repetition;
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    const std::size_t first_task = tasks_.size(), first_datum = data_.size();
    const auto first_message = static_cast<std::uint32_t>(schedule_.messages.size());
    std::vector<std::string> full;
    for (std::size_t i = 0; i < names.size(); ++i)
      full.push_back(
          fmt::format("{}#{}/{}", names[i].stream, names[i].frame + repeat * frames[i], names[i].task));
    append(graph, full);
    for (MessageId id : ids<MessageId>(schedule.messages.size())) {
      std::vector<DatumId> payload;
      for (DatumId datum : schedule.payload(id)) payload.emplace_back(first_datum + datum.index());
      const Message& message = schedule.message(id);
      (void)schedule_.add_message(message.from, message.to, message.size, payload);
    }
    for (std::size_t p = 0; p < schedule.processors.size(); ++p)
      for (Operation operation : schedule.processors[p]) {
        operation.start += length * repeat;
        operation.end += length * repeat;
        operation.subject +=
            operation.kind == OperationKind::compute ? static_cast<std::uint32_t>(first_task) : first_message;
        schedule_.processors[p].push_back(operation);
      }
  }
}

void CyclicTimetable::append(const TaskGraph& graph, const std::vector<std::string>& names) {
  const std::size_t first_task = tasks_.size(), first_datum = data_.size();
  for (TaskId task : graph.tasks()) {
    tasks_.push_back(graph.task(task));
    tasks_.back().name = names[task.index()];
  }
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    data_.emplace_back(TaskId(first_task + graph.datum_task(datum).index()), graph.datum_size(datum));
  for (EdgeId id : graph.edges())
    edges_.push_back({DatumId(first_datum + graph.edge(id).datum.index()),
                      TaskId(first_task + graph.edge(id).to.index())});
}

Time CyclicTimetable::busy(ProcessorId processor) const {
  Time sum{0};
  for (const Operation& operation : schedule_.processors[processor.index()])
    sum += operation.end - operation.start;
  return sum;
}

std::vector<std::pair<std::string, std::uint32_t>> CyclicTimetable::streams() const {
  std::vector<std::pair<std::string, std::uint32_t>> result;
  for (const Task& task : tasks_) {
    const FrameName name = parse_name(task.name);
    auto known = std::ranges::find(result, name.stream,
                                   [](const auto& each) -> std::string_view { return each.first; });
    if (known == result.end()) known = result.emplace(result.end(), std::string(name.stream), 0);
    known->second = std::max(known->second, name.frame + 1);
  }
  return result;
}

CyclicTimetable::Frame CyclicTimetable::add_frame(std::string_view stream, std::uint32_t frame,
                                                  const TaskGraph& graph) {
  const Frame result{tasks_.size(), data_.size()};
  std::vector<std::string> names;
  for (TaskId task : graph.tasks())
    names.push_back(fmt::format("{}#{}/{}", stream, frame, graph.task(task).name));
  append(graph, names);
  return result;
}

MessageId CyclicTimetable::add_message(ProcessorId from, ProcessorId to, Bytes size,
                                       const std::vector<DatumId>& data) {
  return schedule_.add_message(from, to, size, data);
}

Time CyclicTimetable::gap_after(const Operation& operation) const {
  if (operation.kind == OperationKind::compute) return Time{0};
  const logp::MessageCosts costs(machine_, schedule_.message(operation.message()));
  return operation.kind == OperationKind::send ? costs.send_gap : costs.receive_gap;
}

/// Operations of a processor lie within one cycle, so each is at most one cycle away from its copy that
/// matters.
bool CyclicTimetable::is_free(ProcessorId processor, const Operation& operation) const {
  for (const Operation& other : schedule_.processors[processor.index()]) {
    if (operation.start < other.end - cycle_ || operation.end > other.start + cycle_) return false;
    if (operation.start < other.end && other.start < operation.end) return false;
    if (operation.kind == OperationKind::compute || operation.kind != other.kind) continue;
    const Time gap = gap_after(operation), other_gap = gap_after(other);
    const Time distance = operation.start - other.start;
    if (distance >= Time{0} ? distance < other_gap || cycle_ - distance < gap
                            : -distance < gap || cycle_ + distance < other_gap)
      return false;
  }
  return operation.end - operation.start <= cycle_ && gap_after(operation) <= cycle_;
}

std::optional<Time> CyclicTimetable::put(ProcessorId processor, OperationKind kind, std::uint32_t subject,
                                         Time length, Time ready) {
  std::vector<Operation>& operations = schedule_.processors[processor.index()];
  // The first free place begins when it is ready, where something ends, or where a gap ends.
  std::vector<Time> starts{ready};
  for (const Operation& other : operations) {
    starts.insert(starts.end(), {other.end, other.end - cycle_});
    if (kind != OperationKind::compute && kind == other.kind) {
      const Time after = other.start + gap_after(other);
      starts.insert(starts.end(), {after, after - cycle_});
    }
  }
  std::ranges::sort(starts);
  for (const Time start : starts) {
    if (start < ready) continue;
    const Operation operation{kind, 0, subject, start, start + length};
    if (!is_free(processor, operation)) continue;
    const auto place =
        std::ranges::upper_bound(operations, std::pair(operation.start, operation.end), std::less{},
                                 [](const Operation& other) { return std::pair(other.start, other.end); });
    operations.insert(place, operation);
    return start;
  }
  return std::nullopt;
}

std::vector<Time> CyclicTimetable::ends(ProcessorId processor) const {
  std::vector<Time> times;
  for (const Operation& operation : schedule_.processors[processor.index()]) times.push_back(operation.end);
  return times;
}

TaskGraph CyclicTimetable::graph() const {
  TaskGraphBuilder builder;
  for (const Task& task : tasks_) (void)builder.add_task(task);
  for (const auto& [task, size] : data_) (void)builder.add_datum(task, size);
  for (const EdgeOf& edge : edges_) (void)builder.add_edge(edge.datum, edge.to);
  return std::move(builder).build();
}

Schedule CyclicTimetable::schedule() const {
  Schedule schedule = schedule_;
  schedule.least_repetition = cycle_;
  return schedule;
}

}  // namespace takt::schedulers
