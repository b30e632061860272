#include "core/pictures/schedule_view.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/devices.hpp"
#include "core/formats/json.hpp"
#include "core/graphs/levels.hpp"
#include "core/graphs/task_groups.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/folded_times.hpp"
#include "core/stream_names.hpp"

namespace takt {

namespace {

using Json = nlohmann::ordered_json;

/// The kinds of boxes, as numbered in core/pictures/web/src/data.ts.
enum class BoxKind : std::uint8_t { compute, send, receive, transfer };
constexpr std::string_view box_kind_names[] = {"compute", "send", "receive", "transfer"};

struct GanttBox {
  Time start{0}, end{0};
  BoxKind kind = BoxKind::compute;
  std::uint32_t subject = 0, instance = 0;
  /// As displayed: counted from the first frame of an iteration.
  std::int64_t frame = 0;
};

struct GanttRow {
  std::string name;
  std::vector<GanttBox> boxes;
};

BoxKind kind_of(OperationKind kind) {
  return kind == OperationKind::compute ? BoxKind::compute
         : kind == OperationKind::send  ? BoxKind::send
                                        : BoxKind::receive;
}

/// Of a pipelined schedule, either one iteration (`is_folded`) or the times of its first frames.
std::vector<GanttRow> rows_of(const ScheduleToView& each, bool is_folded) {
  std::vector<GanttRow> rows;
  const Schedule& schedule = *each.schedule;
  const auto add = [&](GanttBox box, std::vector<GanttBox>& boxes) {
    for (const FoldedTime& part : folded_times(box.start, box.end, box.instance, schedule.replicas,
                                               is_folded ? schedule.repetition : std::nullopt)) {
      std::tie(box.start, box.end, box.frame) = std::tie(part.start, part.end, part.frame);
      boxes.push_back(box);
    }
  };
  for (std::size_t p = 0; p < schedule.processors.size(); ++p) {
    GanttRow& row = rows.emplace_back(GanttRow{.name = fmt::format("P{}", p), .boxes = {}});
    for (const Operation& operation : schedule.processors[p])
      add({operation.start, operation.end, kind_of(operation.kind), operation.subject, operation.instance},
          row.boxes);
  }
  for (const Device& device : schedule.devices) {
    const std::vector<std::vector<Operation>> units = takt::rows_of(device);
    for (std::size_t i = 0; i < units.size(); ++i) {
      GanttRow& row = rows.emplace_back(GanttRow{.name = row_name(device, i, units.size()), .boxes = {}});
      for (const Operation& operation : units[i])
        add({operation.start, operation.end, BoxKind::compute, operation.subject, operation.instance},
            row.boxes);
    }
  }
  // By their end nodes, which name them; by their numbers if the nodes are unknown.
  const auto ends_of = [&](std::size_t link) {
    if (each.network == nullptr || link >= each.network->links.size()) return std::pair{link, link};
    return std::pair{each.network->links[link].from.index(), each.network->links[link].to.index()};
  };
  std::map<std::pair<std::pair<std::size_t, std::size_t>, std::size_t>, std::vector<GanttBox>> links;
  for (std::uint32_t m = 0; m < schedule.messages.size(); ++m)
    for (const Hop& hop : schedule.route(MessageId(m)))
      add({hop.start, hop.end, BoxKind::transfer, m, 0},
          links[{ends_of(hop.link.index()), hop.link.index()}]);
  for (auto& [place, boxes] : links) {
    const auto& [ends, number] = place;
    std::string name = fmt::format("link {}", number);
    if (each.network != nullptr && number < each.network->links.size())
      name = fmt::format("{} -> {}", ends.first, ends.second);
    rows.push_back({std::move(name), std::move(boxes)});
  }
  for (GanttRow& row : rows) std::ranges::stable_sort(row.boxes, {}, &GanttBox::start);
  return rows;
}

class GanttView {
 public:
  explicit GanttView(std::string_view unit) {
    view_ = {{"kind", "gantt"}, {"name", ""}, {"says", ""}, {"unit", unit}};
    const auto columns = [&](const char* of, std::initializer_list<const char*> names) {
      for (const char* name : names) view_[of][name] = Json::array();
    };
    columns("groups", {"name", "repetition", "replicas"});
    columns("rows", {"name", "group", "boxes"});
    columns("tasks", {"name", "layer", "stream"});
    view_["streams"] = Json::array();
    columns("box", {"gap", "len", "kind", "subject", "instance"});
    columns("messages", {"send", "receive", "bytes", "name", "id"});
  }

  void add(const ScheduleToView& each) {
    if (const std::string idle = idle_processors(*each.schedule); !idle.empty())
      idle_.emplace_back(each.name, idle);
    const std::size_t group = view_["groups"]["name"].size();
    const ScheduleMetrics metrics = measure(*each.schedule);
    view_["groups"]["name"].push_back(each.name);
    view_["groups"]["repetition"].push_back(metrics.repetition.count());
    view_["groups"]["replicas"].push_back(each.schedule->replicas);
    const std::vector<std::uint32_t> numbers = number_tasks(*each.graph);
    std::unordered_map<std::uint64_t, std::size_t> sends, receives;
    for (const GanttRow& row : rows_of(each, true)) {
      view_["rows"]["name"].push_back(row.name);
      view_["rows"]["group"].push_back(group);
      view_["rows"]["boxes"].push_back(row.boxes.size());
      Time last{0};
      for (const GanttBox& box : row.boxes) {
        const std::uint64_t key = std::uint64_t{box.instance} << 32 | box.subject;
        if (box.kind == BoxKind::send) sends.emplace(key, boxes_);
        if (box.kind == BoxKind::receive) receives.emplace(key, boxes_);
        Json& columns = view_["box"];
        columns["gap"].push_back((box.start - last).count());
        columns["len"].push_back((box.end - box.start).count());
        columns["kind"].push_back(static_cast<int>(box.kind));
        columns["subject"].push_back(box.kind == BoxKind::compute ? numbers[box.subject] : box.subject);
        columns["instance"].push_back(box.frame);
        last = box.end;
        ++boxes_;
      }
    }
    add_messages(each, sends, receives);
  }

  [[nodiscard]] View finished(std::string_view name, std::string_view says) && {
    view_["name"] = name;
    view_["says"] = says;
    view_["idle"] = "";
    const bool is_one = view_["groups"]["name"].size() == 1;
    for (const auto& [schedule, processors] : idle_) {
      std::string& text = view_["idle"].get_ref<std::string&>();
      text += (text.empty() ? "" : "; ") + (is_one ? processors : processors + " of " + schedule);
    }
    if (streams_.empty()) view_["streams"].push_back("");
    return view_.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  std::vector<std::uint32_t> number_tasks(const TaskGraph& graph) {
    const std::vector<std::size_t> layers = layers_of(graph);
    std::vector<std::uint32_t> numbers;
    for (const TaskId task : graph.tasks()) {
      const std::string& name = graph.task(task).name;
      const auto [found, is_new] = tasks_.try_emplace(name, static_cast<std::uint32_t>(tasks_.size()));
      numbers.push_back(found->second);
      if (!is_new) continue;
      view_["tasks"]["name"].push_back(name);
      view_["tasks"]["layer"].push_back(layers[task.index()]);
      const auto parsed = stream_task_name(name);
      if (!parsed) {
        view_["tasks"]["stream"].push_back(0);
        continue;
      }
      const auto [of, begins] = streams_.try_emplace(std::string(parsed->stream), streams_.size());
      if (begins) view_["streams"].push_back(parsed->stream);
      view_["tasks"]["stream"].push_back(of->second);
    }
    return numbers;
  }

  void add_messages(const ScheduleToView& each, const std::unordered_map<std::uint64_t, std::size_t>& sends,
                    const std::unordered_map<std::uint64_t, std::size_t>& receives) {
    const Schedule& schedule = *each.schedule;
    for (std::uint32_t instance = 0; instance < schedule.replicas; ++instance)
      for (std::uint32_t m = 0; m < schedule.messages.size(); ++m) {
        const std::uint64_t key = std::uint64_t{instance} << 32 | m;
        const auto send = sends.find(key), receive = receives.find(key);
        if (send == sends.end() || receive == receives.end()) continue;
        // A line to another frame's place in the iteration would go back in time.
        const auto frame_of = [&](std::size_t box) {
          return view_["box"]["instance"][box].get<std::int64_t>();
        };
        if (frame_of(send->second) != frame_of(receive->second)) continue;
        const Message& message = schedule.messages[m];
        std::string name = fmt::format("P{} to P{}", message.from.index(), message.to.index());
        const auto payload = schedule.payload(MessageId(m));
        constexpr std::size_t most_named = 3;
        for (std::size_t i = 0; i < payload.size() && i < most_named; ++i)
          name += fmt::format("{} {}", i == 0 ? ", data of" : ",",
                              each.graph->task(each.graph->datum_task(payload[i])).name);
        if (payload.size() > most_named) name += fmt::format(" and {} more", payload.size() - most_named);
        Json& columns = view_["messages"];
        columns["send"].push_back(send->second);
        columns["receive"].push_back(receive->second);
        columns["bytes"].push_back(message.size.count);
        columns["name"].push_back(name);
        columns["id"].push_back(m);
      }
  }

  Json view_;
  std::size_t boxes_ = 0;
  std::unordered_map<std::string, std::uint32_t> tasks_;
  std::map<std::string, std::size_t> streams_;
  /// One per schedule.
  std::vector<std::pair<std::string, std::string>> idle_;
};

std::string share_of(Time part, Time whole) {
  if (whole <= Time{0}) return "0.0";
  return fmt::format("{:.1f}",
                     100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

}  // namespace

std::string_view time_unit(std::span<const ScheduleToView> schedules) {
  return std::ranges::any_of(
             schedules,
             [](const ScheduleToView& each) { return measure(*each.schedule).makespan >= least_in_units; })
             ? "ns"
             : "ticks";
}

std::string idle_processors(const Schedule& schedule) {
  std::vector<std::size_t> idle;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    if (schedule.processors[p].empty()) idle.push_back(p);
  return ranges_text(idle);
}

View gantt_view(std::span<const ScheduleToView> schedules, std::string_view unit) {
  GanttView view(unit);
  bool has_devices = false, has_links = false, is_pipelined = false;
  for (const ScheduleToView& each : schedules) {
    view.add(each);
    has_devices = has_devices || !each.schedule->devices.empty();
    has_links = has_links || !each.schedule->hops.empty();
    is_pipelined = is_pipelined || each.schedule->repetition;
  }
  std::string says = schedules.size() == 1 ? "One row per processor" : "Stacked, on one time axis";
  if (has_devices) says += ", then the devices and their links, on which tasks work without their processors";
  says += has_links ? ", then the links that carry messages." : ".";
  if (is_pipelined)
    says +=
        " One iteration of a pipelined schedule: the number before a task counts frames from the "
        "iteration's newest one.";
  return std::move(view).finished(schedules.size() == 1 ? "Schedule" : "Schedules", says);
}

View occupancy_view(std::span<const ScheduleToView> schedules, std::string_view unit) {
  const int time = static_cast<int>(unit == "ns" ? ColumnKind::ns : ColumnKind::number);
  const bool is_one = schedules.size() == 1;
  Json view{{"kind", "table"},
            {"name", "Occupancy"},
            {"says", "Time from a processor's first operation to its last."},
            {"columns", {"processor", "start", "end", "occupied", "compute %", "overhead %", "blank %"}},
            {"numbers", {1, time, time, time, 1, 1, 1}},
            {"rows", Json::array()}};
  if (!is_one) {
    view["columns"].insert(view["columns"].begin(), "schedule");
    view["numbers"].insert(view["numbers"].begin(), 0);
  }
  for (const ScheduleToView& each : schedules) {
    const ScheduleMetrics metrics = measure(*each.schedule);
    for (std::size_t p = 0; p < metrics.occupancy.size(); ++p) {
      if (each.schedule->processors[p].empty()) continue;
      const Occupancy& row = metrics.occupancy[p];
      Json cells{fmt::format("{}", p),
                 fmt::format("{}", row.start.count()),
                 fmt::format("{}", row.end.count()),
                 fmt::format("{}", row.occupied().count()),
                 share_of(row.compute, row.occupied()),
                 share_of(row.overhead, row.occupied()),
                 share_of(row.blank(), row.occupied())};
      if (!is_one) cells.insert(cells.begin(), each.name);
      view["rows"].push_back(std::move(cells));
    }
    // The units of a device work on the frames of several iterations in turn.
    for (const Device& device : each.schedule->devices) {
      if (metrics.repetition <= Time{0}) continue;
      const std::string busy =
          fmt::format("{:.1f}", 100 * load_of(device, each.schedule->replicas, metrics.repetition));
      Json cells{device.name, "", "", "", busy, "", ""};
      if (!is_one) cells.insert(cells.begin(), each.name);
      view["rows"].push_back(std::move(cells));
    }
  }
  return view.dump(-1, ' ', false, Json::error_handler_t::replace);
}

View partition_view(const ScheduleToView& schedule, std::string_view unit) {
  Json view{
      {"kind", "partitions"},
      {"unit", unit},
      {"name", "Data partitions"},
      {"says", "A task's group holds its output in blocks of equal size, in the order of its processors."}};
  for (const char* const column : {"task", "frame", "bytes", "group"}) view["parts"][column] = Json::array();
  const TaskGraph& graph = *schedule.graph;
  const TaskGroups groups(graph, *schedule.schedule);
  std::vector<std::uint64_t> made(graph.task_count());
  for (const DatumId datum : ids<DatumId>(graph.datum_count()))
    made[graph.datum_task(datum).index()] += graph.datum_size(datum).count;
  Json& parts = view["parts"];
  for (std::uint32_t instance = 0; instance < schedule.schedule->replicas; ++instance)
    for (const TaskId task : graph.tasks()) {
      const std::vector<ProcessorId> group = groups.group(task, instance);
      if (group.empty()) continue;
      Json processors = Json::array();
      for (const ProcessorId processor : group) processors.push_back(processor.index());
      parts["task"].push_back(graph.task(task).name);
      parts["frame"].push_back(instance);
      parts["bytes"].push_back(made[task.index()]);
      parts["group"].push_back(std::move(processors));
    }
  return view.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string schedule_to_csv(const ScheduleToView& schedule) {
  const auto quoted = [](const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char letter : text) result += letter == '"' ? "\"\"" : std::string(1, letter);
    return result + '"';
  };
  std::string csv = "row,kind,subject,instance,start,end\n";
  for (const GanttRow& row : rows_of(schedule, false))
    for (const GanttBox& box : row.boxes)
      csv += fmt::format("{},{},{},{},{},{}\n", quoted(row.name),
                         box_kind_names[static_cast<std::size_t>(box.kind)],
                         box.kind == BoxKind::compute ? quoted(schedule.graph->task(TaskId(box.subject)).name)
                                                      : fmt::format("{}", box.subject),
                         box.instance, box.start.count(), box.end.count());
  return csv;
}

}  // namespace takt
