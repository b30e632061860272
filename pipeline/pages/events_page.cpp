#include "pipeline/pages/events_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"

namespace takt::pipeline {

namespace {

using EventsJson = nlohmann::ordered_json;
using Thread = std::pair<std::string, std::string>;

/// Orders numeric texts by value.
struct ShorterFirst {
  bool operator()(const Thread& a, const Thread& b) const {
    const auto key = [](const Thread& each) {
      return std::tuple(each.first.size(), each.first, each.second.size(), each.second);
    };
    return key(a) < key(b);
  }
};

const EventsJson& events_of(const EventsJson& document) {
  return document.is_object() ? document["traceEvents"] : document;
}

/// Returns the value of a key as text; empty if the key is missing.
std::string word_in(const EventsJson& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

double number_under(const EventsJson& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number() ? found->get<double>() : std::nan("");
}

/// Files use microseconds.
std::int64_t ns_of(double microseconds) {
  constexpr double ns_per_microsecond = 1000;
  return std::llround(microseconds * ns_per_microsecond);
}

struct CompleteEvent {
  std::int64_t start = 0, end = 0;
  std::size_t name = 0;
  std::int64_t frame = 0;
};

struct FlowEnd {
  Thread thread;
  std::int64_t time = 0;
};

struct Flow {
  std::optional<FlowEnd> from, to;
};

/// Boxes that do not overlap.
using EventLane = std::vector<CompleteEvent>;

class EventsPicture {
 public:
  explicit EventsPicture(const EventsJson& events) {
    for (const EventsJson& event : events)
      if (event.is_object()) add(event);
    if (threads_.empty()) throw ConfigError("it holds no complete event (phase X)");
    for (auto& [thread, all] : threads_) lay_out(thread, all);
  }

  [[nodiscard]] std::size_t events() const { return events_; }
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  [[nodiscard]] std::size_t rows() const { return lanes_.size(); }
  [[nodiscard]] std::int64_t duration() const { return last_ - first_; }

  [[nodiscard]] EventsJson view() const {
    EventsJson view{{"kind", "gantt"},
                    {"name", "Events"},
                    {"says", "One row per thread; nested events are below the enclosing ones."},
                    {"unit", "ns"},
                    {"groups", {{"name", {"events"}}, {"repetition", {0}}, {"replicas", {1}}}},
                    {"streams", {""}}};
    const auto empty = [&](const char* of, std::initializer_list<const char*> columns) {
      for (const char* const column : columns) view[of][column] = EventsJson::array();
    };
    empty("rows", {"name", "group", "boxes"});
    empty("tasks", {"name", "layer", "stream"});
    empty("box", {"gap", "len", "kind", "subject", "instance"});
    empty("messages", {"send", "receive", "bytes", "name", "id"});
    for (std::size_t i = 0; i < names_.size(); ++i) {
      view["tasks"]["name"].push_back(names_[i]);
      view["tasks"]["layer"].push_back(i);
      view["tasks"]["stream"].push_back(0);
    }
    std::vector<std::size_t> first_box;
    std::size_t boxes = 0;
    for (const auto& [thread, depth, lane] : lanes_) {
      first_box.push_back(boxes);
      boxes += lane.size();
      view["rows"]["name"].push_back(name_of_row(thread, depth));
      view["rows"]["group"].push_back(0);
      view["rows"]["boxes"].push_back(lane.size());
      std::int64_t last = first_;
      for (const CompleteEvent& each : lane) {
        EventsJson& box = view["box"];
        box["gap"].push_back(each.start - last);
        box["len"].push_back(each.end - each.start);
        box["kind"].push_back(0);
        box["subject"].push_back(each.name);
        box["instance"].push_back(each.frame);
        last = each.end;
      }
    }
    std::size_t id = 0;
    for (const auto& [key, flow] : flows_) {
      const auto from = flow.from ? box_at(*flow.from, first_box) : std::nullopt;
      const auto to = flow.to ? box_at(*flow.to, first_box) : std::nullopt;
      if (!from || !to) continue;
      view["messages"]["send"].push_back(*from);
      view["messages"]["receive"].push_back(*to);
      view["messages"]["bytes"].push_back(0);
      view["messages"]["name"].push_back(std::get<1>(key));
      view["messages"]["id"].push_back(id++);
    }
    return view;
  }

 private:
  struct LaneOfThread {
    Thread thread;
    std::size_t depth = 0;
    EventLane lane;
  };

  void add(const EventsJson& event) {
    const std::string phase = word_in(event, "ph");
    const Thread thread{word_in(event, "pid"), word_in(event, "tid")};
    const double time = number_under(event, "ts");
    if (phase == "X" && std::isfinite(time)) {
      const double length = number_under(event, "dur");
      CompleteEvent each{
          .start = ns_of(time),
          .end = ns_of(time) + std::max<std::int64_t>(0, std::isfinite(length) ? ns_of(length) : 0),
          .name = number_of(word_in(event, "name"))};
      const auto arguments = event.find("args");
      if (arguments != event.end() && arguments->is_object())
        if (const double frame = number_under(*arguments, "frame"); std::isfinite(frame))
          each.frame = std::llround(frame);
      first_ = events_ == 0 ? each.start : std::min(first_, each.start);
      last_ = events_ == 0 ? each.end : std::max(last_, each.end);
      ++events_;
      threads_[thread].push_back(each);
    } else if ((phase == "s" || phase == "f") && std::isfinite(time)) {
      Flow& flow = flows_[{word_in(event, "cat"), word_in(event, "name"), word_in(event, "id")}];
      (phase == "s" ? flow.from : flow.to) = FlowEnd{thread, ns_of(time)};
    } else if (phase == "M") {
      const auto arguments = event.find("args");
      if (arguments == event.end() || !arguments->is_object()) return;
      const std::string name = word_in(event, "name");
      if (name == "process_name") process_names_[thread.first] = word_in(*arguments, "name");
      if (name == "thread_name") thread_names_[thread] = word_in(*arguments, "name");
    } else {
      ++left_out_;
    }
  }

  std::size_t number_of(const std::string& name) {
    const auto [found, is_new] = numbers_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }

  /// Places each event on the first free row of its thread.
  void lay_out(const Thread& thread, std::vector<CompleteEvent>& all) {
    std::ranges::stable_sort(all, [](const CompleteEvent& a, const CompleteEvent& b) {
      return std::tuple(a.start, -a.end) < std::tuple(b.start, -b.end);
    });
    std::vector<EventLane> lanes;
    for (const CompleteEvent& each : all) {
      auto lane =
          std::ranges::find_if(lanes, [&](const EventLane& row) { return row.back().end <= each.start; });
      if (lane == lanes.end()) lane = lanes.insert(lanes.end(), EventLane());
      lane->push_back(each);
    }
    for (std::size_t depth = 0; depth < lanes.size(); ++depth)
      lanes_.push_back({thread, depth, std::move(lanes[depth])});
  }

  [[nodiscard]] std::string name_of_row(const Thread& thread, std::size_t depth) const {
    const auto process = process_names_.find(thread.first);
    std::string name = process == process_names_.end() ? "process " + thread.first : process->second;
    const bool is_alone =
        std::ranges::count(threads_, thread.first, [](const auto& each) { return each.first.first; }) == 1;
    const auto own = thread_names_.find(thread);
    if (!is_alone) name += ", " + (own == thread_names_.end() ? "thread " + thread.second : own->second);
    return depth == 0 ? name : fmt::format("{} ({})", name, depth + 1);
  }

  /// Returns the box at a moment in the first row of a thread.
  [[nodiscard]] std::optional<std::size_t> box_at(const FlowEnd& end,
                                                  const std::vector<std::size_t>& first_box) const {
    for (std::size_t row = 0; row < lanes_.size(); ++row) {
      if (lanes_[row].thread != end.thread) continue;
      const EventLane& lane = lanes_[row].lane;
      const auto after = std::ranges::upper_bound(lane, end.time, {}, &CompleteEvent::start);
      if (after == lane.begin() || std::prev(after)->end < end.time) continue;
      return first_box[row] + static_cast<std::size_t>(std::prev(after) - lane.begin());
    }
    return std::nullopt;
  }

  std::map<Thread, std::vector<CompleteEvent>, ShorterFirst> threads_;
  std::map<std::tuple<std::string, std::string, std::string>, Flow> flows_;
  std::map<std::string, std::string> process_names_;
  std::map<Thread, std::string> thread_names_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
  std::vector<LaneOfThread> lanes_;
  std::size_t events_ = 0, left_out_ = 0;
  std::int64_t first_ = 0, last_ = 0;
};

}  // namespace

bool is_trace_events(const EventsJson& document) {
  if (document.is_object()) return document.contains("traceEvents") && document["traceEvents"].is_array();
  return document.is_array() && !document.empty() && document.front().is_object() &&
         document.front().contains("ph");
}

Page events_page(const std::string& name, const EventsJson& document) {
  const EventsPicture picture(events_of(document));
  return {.title = name,
          .says = "Trace events, as Perfetto and Chrome read them.",
          .facts = {{"events", number_text(static_cast<double>(picture.events())), "complete ones"},
                    {"rows", fmt::format("{}", picture.rows()), ""},
                    {"lasts", time_text(static_cast<double>(picture.duration())), ""},
                    {"left out", fmt::format("{}", picture.left_out()), "of other phases"}},
          .views = {picture.view().dump(-1, ' ', false, EventsJson::error_handler_t::replace)}};
}

}  // namespace takt::pipeline
