#include "schedulers/streams/cyclic_timetable.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/stream_names.hpp"
#include "logp/message_costs.hpp"

namespace takt::schedulers {

namespace {

StreamTaskName parse_name(std::string_view name) {
  if (const auto parsed = stream_task_name(name)) return *parsed;
  throw ConfigError(fmt::format(
      "task '{}' belongs to no stream: expected a schedule of several streams, with names stream#frame/task",
      name));
}

}  // namespace

CyclicTimetable::CyclicTimetable(const logp::Machine& machine, Time cycle)
    : machine_(machine), cycle_(cycle), schedule_("streams", machine.processor_count()) {
  const Network& network = machine_.platform().network;
  if (network.empty()) return;
  routes_ = std::make_shared<const Routes>(network);
  on_link_.resize(network.links.size());
}

CyclicTimetable::CyclicTimetable(const logp::Machine& machine, const TaskGraph& graph,
                                 const Schedule& schedule, std::uint32_t repeats)
    : CyclicTimetable(machine, measure(schedule).repetition * repeats) {
  if (schedule.processors.size() != machine.processor_count() || schedule.replicas != 1)
    throw ConfigError(fmt::format("the running schedule is for {} processors, the machine has {}",
                                  schedule.processors.size(), machine.processor_count()));
  std::vector<StreamTaskName> names;
  for (TaskId task : graph.tasks()) names.push_back(parse_name(graph.task(task).name));
  std::vector<std::uint32_t> frames(names.size(), 0);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const StreamTaskName& other : names)
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
      const MessageId added = schedule_.add_message(message.from, message.to, message.size, payload);
      std::vector<Hop> route;
      for (const Hop& hop : schedule.route(id)) {
        route.push_back({hop.link, hop.start + length * repeat, hop.end + length * repeat});
        on_link_.at(hop.link.index()).push_back(route.back());
      }
      if (!route.empty()) schedule_.set_route(added, route);
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

std::string_view CyclicTimetable::stream_of(const Operation& operation) const {
  if (operation.kind == OperationKind::compute)
    return parse_name(tasks_[operation.task().index()].name).stream;
  const std::span<const DatumId> payload = schedule_.payload(operation.message());
  return parse_name(tasks_[data_[payload.front().index()].first.index()].name).stream;
}

Time CyclicTimetable::busy(ProcessorId processor, std::string_view stream) const {
  Time sum{0};
  for (const Operation& operation : schedule_.processors[processor.index()])
    if (stream_of(operation) == stream) sum += operation.end - operation.start;
  return sum;
}

std::size_t CyclicTimetable::own_number(TaskId task) const {
  // Frames are added as a whole.
  const StreamTaskName name = parse_name(tasks_[task.index()].name);
  std::size_t first = task.index();
  const auto is_same_frame = [&](std::size_t other) {
    const StreamTaskName each = parse_name(tasks_[other].name);
    return each.stream == name.stream && each.frame == name.frame;
  };
  while (first > 0 && is_same_frame(first - 1)) --first;
  return task.index() - first;
}

std::vector<std::vector<Operation>> CyclicTimetable::operations_of(std::string_view stream,
                                                                   std::uint32_t frame) const {
  std::vector<std::vector<Operation>> result(schedule_.processors.size());
  for (std::size_t p = 0; p < result.size(); ++p)
    for (const Operation& operation : schedule_.processors[p]) {
      const TaskId task = operation.kind == OperationKind::compute
                              ? operation.task()
                              : data_[schedule_.payload(operation.message()).front().index()].first;
      const StreamTaskName name = parse_name(tasks_[task.index()].name);
      if (name.stream == stream && name.frame == frame) result[p].push_back(operation);
    }
  return result;
}

void CyclicTimetable::remove(std::string_view stream) {
  CyclicTimetable rest(machine_, cycle_);
  rest.closed_ = closed_;
  std::ranges::remove_copy(requirements_, std::back_inserter(rest.requirements_), stream,
                           &StreamRequirement::stream);
  constexpr std::size_t gone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> task_at(tasks_.size(), gone), datum_at(data_.size(), gone);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (parse_name(tasks_[i].name).stream == stream) continue;
    task_at[i] = rest.tasks_.size();
    rest.tasks_.push_back(tasks_[i]);
  }
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const std::size_t task = task_at[data_[i].first.index()];
    if (task == gone) continue;
    datum_at[i] = rest.data_.size();
    rest.data_.emplace_back(TaskId(task), data_[i].second);
  }
  for (const EdgeOf& edge : edges_)
    if (task_at[edge.to.index()] != gone)
      rest.edges_.push_back({DatumId(datum_at[edge.datum.index()]), TaskId(task_at[edge.to.index()])});
  std::vector<std::size_t> message_at(schedule_.messages.size(), gone);
  for (MessageId id : ids<MessageId>(schedule_.messages.size())) {
    std::vector<DatumId> payload;
    for (DatumId datum : schedule_.payload(id))
      if (datum_at[datum.index()] != gone) payload.emplace_back(datum_at[datum.index()]);
    if (payload.empty()) continue;
    const Message& message = schedule_.message(id);
    const MessageId added = rest.schedule_.add_message(message.from, message.to, message.size, payload);
    message_at[id.index()] = added.index();
    if (message.hop_count == 0) continue;
    rest.schedule_.set_route(added, schedule_.route(id));
    for (const Hop& hop : schedule_.route(id)) rest.on_link_[hop.link.index()].push_back(hop);
  }
  for (std::size_t p = 0; p < schedule_.processors.size(); ++p)
    for (Operation operation : schedule_.processors[p]) {
      const std::size_t subject =
          (operation.kind == OperationKind::compute ? task_at : message_at)[operation.subject];
      if (subject == gone) continue;
      operation.subject = static_cast<std::uint32_t>(subject);
      rest.schedule_.processors[p].push_back(operation);
    }
  *this = std::move(rest);
}

bool CyclicTimetable::passes_links(ProcessorId from, ProcessorId to) const {
  const std::vector<std::uint32_t>& node_of = machine_.platform().node_of;
  return routes_ && node_of[from.index()] != node_of[to.index()];
}

std::optional<Time> CyclicTimetable::pass_links(MessageId message, Time ready) {
  const Message& sent = schedule_.message(message);
  const Platform& platform = machine_.platform();
  std::vector<Hop> route;
  bool has_room = true;
  platform.network.for_each_leg(
      routes_->route(NodeId(platform.node_of[sent.from.index()]), NodeId(platform.node_of[sent.to.index()])),
      sent.size, [&](std::span<const LinkId> links, Time length) {
        const std::optional<Time> start = has_room ? free_on_links(links, ready, length) : std::nullopt;
        has_room = start.has_value();
        if (!has_room) return;
        ready = *start + length;
        for (LinkId link : links) {
          route.push_back({link, *start, ready});
          on_link_[link.index()].push_back(route.back());
        }
      });
  if (!has_room) return std::nullopt;
  schedule_.set_route(message, route);
  return ready;
}

std::optional<Time> CyclicTimetable::free_on_links(std::span<const LinkId> links, Time ready,
                                                   Time length) const {
  // A start that all links have comes within one cycle.
  const Time end = ready + cycle_;
  for (Time before = ready - Time{1}; before != ready;) {
    before = ready;
    for (LinkId link : links) {
      const std::optional<Time> start = free_on_link(link, ready, length);
      if (!start || *start > end) return std::nullopt;
      ready = *start;
    }
  }
  return ready;
}

std::optional<Time> CyclicTimetable::free_on_link(LinkId link, Time ready, Time length) const {
  if (length == Time{0}) return ready;
  if (length > cycle_) return std::nullopt;
  const auto after = [&](Time a, Time b) { return ((a - b) % cycle_ + cycle_) % cycle_; };
  // The first free time begins when the message arrives, or where a transfer ends.
  std::vector<Time> starts{ready};
  for (const Hop& other : on_link_[link.index()])
    if (other.end > other.start) starts.push_back(ready + after(other.end, ready));
  std::ranges::sort(starts);
  for (const Time start : starts) {
    const bool is_free = std::ranges::all_of(on_link_[link.index()], [&](const Hop& other) {
      if (other.end == other.start) return true;
      const Time distance = after(start, other.start);
      return distance >= other.end - other.start && cycle_ - distance >= length;
    });
    if (is_free) return start;
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::uint32_t>> CyclicTimetable::streams() const {
  std::vector<std::pair<std::string, std::uint32_t>> result;
  for (const Task& task : tasks_) {
    const StreamTaskName name = parse_name(task.name);
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

/// Operations of a processor lie within one cycle,
/// so only copies at most one cycle away matter.
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
  // The first free interval begins at `ready`, where an operation ends, or where a gap ends.
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
