#include "core/pictures/gantt_svg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/axis.hpp"
#include "core/pictures/figure_text.hpp"

namespace takt {

namespace {

using GanttJson = nlohmann::ordered_json;

constexpr double right_margin = 20, top_margin = 30, heading_height = 24;
/// Mean width of a box in pixels, within these limits of the chart.
constexpr double width_of_box = 36, least_width = 1000, most_width = 1600;
/// More lines than this would be illegible.
constexpr std::size_t most_lines = 2000;

/// As numbered in core/pictures/web/src/data.ts.
constexpr int compute_box = 0, send_box = 1, receive_box = 2, transfer_box = 3, wait_box = 4;

struct SvgBox {
  double start = 0, end = 0;
  int kind = 0;
  std::size_t subject = 0;
  std::int64_t instance = 0;
  /// Index among the view's boxes.
  std::size_t number = 0;
};

struct SvgRow {
  std::string name;
  std::size_t group = 0;
  std::vector<SvgBox> boxes;
  double y = 0;
  bool is_shown = true;
};

std::vector<SvgRow> rows_of(const GanttJson& view) {
  std::vector<SvgRow> rows;
  const GanttJson& box = view["box"];
  const bool has_steps = view.contains("steps");
  const std::size_t steps = has_steps ? view["steps"]["says"].size() : 0;
  std::size_t at = 0;
  for (std::size_t r = 0; r < view["rows"]["name"].size(); ++r) {
    SvgRow& row = rows.emplace_back(SvgRow{.name = view["rows"]["name"][r].get<std::string>(),
                                           .group = view["rows"]["group"][r].get<std::size_t>(),
                                           .boxes = {}});
    double time = 0;
    for (auto count = view["rows"]["boxes"][r].get<std::size_t>(); count > 0; --count, ++at) {
      const double start = time + box["gap"][at].get<double>();
      time = start + box["len"][at].get<double>();
      // A box moved by a later decision is elsewhere.
      if (has_steps && view["steps"]["to"][at].get<std::size_t>() < steps) continue;
      row.boxes.push_back({start, time, box["kind"][at].get<int>(), box["subject"][at].get<std::size_t>(),
                           box["instance"][at].get<std::int64_t>(), at});
    }
  }
  // Idle processors have no rows in any chart: a sentence lists them.
  for (SvgRow& row : rows) row.is_shown = !row.boxes.empty();
  return rows;
}

std::int64_t first_frame(const std::vector<SvgRow>& rows) {
  std::int64_t first = 0;
  for (const SvgRow& row : rows)
    for (const SvgBox& box : row.boxes) first = std::min(first, box.instance);
  return first;
}

class GanttPicture {
 public:
  explicit GanttPicture(const GanttJson& view)
      : view_(view),
        rows_(rows_of(view)),
        is_in_ticks_(view["unit"] != "ns"),
        first_frame_(first_frame(rows_)),
        has_replicas_(
            first_frame_ < 0 ||
            std::ranges::any_of(view["groups"]["replicas"], [](const GanttJson& each) { return each > 1; })),
        common_(has_replicas_ || view["streams"].size() > 1
                    ? 0
                    : common_beginning(view["tasks"]["name"].get<std::vector<std::string>>())),
        width_(measure_rows()),
        scale_(axis_, first_, std::max(last_, first_ + 1),
               width_ / std::max(60.0, width_of(axis_.text(last_)) + 14), AxisEnd::at_value),
        picture_(left_ + width_ + right_margin) {
    for (std::size_t m = 0; m < view["messages"]["send"].size(); ++m)
      for (const char* const end : {"send", "receive"})
        if (const auto box = view["messages"][end][m].get<std::int64_t>(); box >= 0)
          message_of_[static_cast<std::size_t>(box)] = m;
    for (const SvgRow& row : rows_)
      for (const SvgBox& box : row.boxes)
        if (const auto found = message_of_.find(box.number); found != message_of_.end())
          id_of_[{row.group, box.subject}] = found->second;
  }

  Drawing draw() && {
    const double bottom = place_rows();
    picture_.axis_above(scale_, left_, left_ + width_, top_margin, bottom);
    for (const SvgRow& row : rows_)
      if (row.is_shown) draw_row(row);
    const bool has_lines = draw_messages();
    const double end = draw_legend(bottom + 16, has_lines);
    return std::move(picture_).drawn(end);
  }

 private:
  /// Measures the time from the first start to the last end, and returns the width of the chart.
  double measure_rows() {
    double busy = 0, count = 0, shown = 0;
    first_ = std::numeric_limits<double>::max();
    for (const SvgRow& row : rows_) {
      if (!row.is_shown) continue;
      ++shown;
      left_ = std::max(left_, std::min(110.0, width_of(row.name) + 2 * Picture::gap));
      for (const SvgBox& box : row.boxes) {
        first_ = std::min(first_, box.start);
        last_ = std::max(last_, box.end);
        if (box.end > box.start) {
          busy += box.end - box.start;
          ++count;
        }
      }
    }
    if (first_ > last_) first_ = last_ = 0;
    axis_ = {.title = "", .origin = first_, .text = is_in_ticks_ ? number_text : time_text};
    constexpr double many = 64, very_many = 200;
    row_height_ = shown <= many ? 34 : shown <= very_many ? 20 : 9;
    bar_height_ = shown <= many ? 22 : shown <= very_many ? 15 : 7;
    return std::clamp(count > 0 ? width_of_box * (last_ - first_) * count / busy : 0, least_width,
                      most_width);
  }

  [[nodiscard]] double x(double time) const { return left_ + width_ * scale_.at(time); }

  double place_rows() {
    double y = top_margin;
    std::size_t group = view_["groups"]["name"].size();
    for (SvgRow& row : rows_) {
      if (!row.is_shown) continue;
      if (view_["groups"]["name"].size() > 1 && row.group != group) {
        group = row.group;
        picture_.text(4, y + 15, "start", view_["groups"]["name"][group].get<std::string>(), "ink",
                      " font-weight=\"600\"");
        y += heading_height;
      }
      row.y = y;
      y += row_height_;
    }
    return y;
  }

  void draw_row(const SvgRow& row) {
    constexpr double least_for_name = 12;
    const auto at = static_cast<std::size_t>((row.y - top_margin) / row_height_ + 0.5);
    if (row_height_ > least_for_name || at % 2 == 0)
      picture_.text(left_ - Picture::gap, row.y + bar_height_ / 2 + 4, "end",
                    shortened_to(row.name, left_ - Picture::gap), "ink",
                    row_height_ > least_for_name ? "" : " font-size=\"11\"");
    if (row.boxes.empty()) return;
    double end = 0;
    for (const SvgBox& box : row.boxes) end = std::max(end, box.end);
    const double begin = x(row.boxes.front().start);
    picture_.box(begin, row.y, x(end) - begin, bar_height_, "grid");
    double drawn_until = 0;
    for (const SvgBox& box : row.boxes) {
      constexpr double least_visible = 1;
      if (x(box.end) < drawn_until) continue;
      const double width = std::max(least_visible, x(box.end) - x(box.start));
      drawn_until = std::max(drawn_until, x(box.start) + width);
      draw_box(row, box, width);
    }
  }

  [[nodiscard]] std::size_t colour_number(const SvgBox& box) const {
    if (view_["streams"].size() > 1) return view_["tasks"]["stream"][box.subject].get<std::size_t>();
    return has_replicas_ ? static_cast<std::size_t>(box.instance - first_frame_) : box.subject;
  }

  void draw_box(const SvgRow& row, const SvgBox& box, double width) {
    std::string title, label, colour = "message", letters = "ink";
    const std::string times = fmt::format("{}..{}", axis_.text(box.start), axis_.text(box.end)) +
                              (has_replicas_ ? fmt::format(", frame {}", box.instance) : "");
    const double left = x(box.start), inner = width > 3 ? width - 0.6 : width;
    if (box.kind == compute_box) {
      label = view_["tasks"]["name"][box.subject].get<std::string>();
      title = fmt::format("task {}: {}", label, times);
      if (view_["streams"].size() > 1)
        title += fmt::format(", stream {}", view_["streams"][colour_number(box)].get<std::string>());
      if (has_replicas_) label = fmt::format("{}.{}", box.instance, label);
      // Streams are shown by colours: the label needs only frame and task.
      if (view_["streams"].size() > 1) label.erase(0, label.find('#') + 1);
      colour = pale_colour_of(colour_number(box));
    } else if (box.kind == wait_box) {
      title = "waits: " + times;
      colour = "grid";
    } else {
      constexpr std::string_view kinds[] = {"", "send", "receive", "transfer"};
      title = fmt::format("{} of message {}{}: {}", kinds[static_cast<std::size_t>(box.kind)], box.subject,
                          message_words(row, box), times);
      label = fmt::format("{}{}",
                          box.kind == send_box      ? ">"
                          : box.kind == receive_box ? "<"
                                                    : "",
                          box.subject);
      letters = box.kind == send_box ? "card" : "ink";
      if (box.kind == send_box) colour = "send";
    }
    picture_.begin_group(title);
    // A gap separates neighbours of one colour.
    picture_.box(left, row.y, inner, bar_height_, colour);
    if ((box.kind == receive_box || box.kind == wait_box) && width > 2)
      picture_.hatch(left, row.y, inner, bar_height_);
    constexpr double least_for_label = 14;
    if (const std::string shown = shortened_to(label, width - 3, box.kind == compute_box ? common_ : 0);
        !shown.empty() && bar_height_ >= least_for_label)
      picture_.text(left + width / 2, row.y + bar_height_ / 2 + 4, "middle", shown, letters,
                    " font-size=\"11\"");
    picture_.end_group();
  }

  /// Describes a message's contents and its route.
  [[nodiscard]] std::string message_words(const SvgRow& row, const SvgBox& box) const {
    const GanttJson& messages = view_["messages"];
    const auto own = message_of_.find(box.number);
    // Transfers refer to their message by its number only.
    const auto found = id_of_.find({row.group, box.subject});
    if (own == message_of_.end() && found == id_of_.end()) return "";
    const std::size_t message = own != message_of_.end() ? own->second : found->second;
    return fmt::format(" ({}; {})", messages["name"][message].get<std::string>(),
                       size_text(messages["bytes"][message].get<double>()));
  }

  [[nodiscard]] std::string size_text(double bytes) const {
    return is_in_ticks_ ? number_text(bytes) + " units" : bytes_text(bytes);
  }

  /// Returns whether any lines were drawn.
  bool draw_messages() {
    const GanttJson& messages = view_["messages"];
    if (messages["send"].empty() || messages["send"].size() > most_lines) return false;
    struct End {
      double time = 0, y = 0;
    };
    std::unordered_map<std::size_t, End> ends;
    for (const SvgRow& row : rows_)
      for (const SvgBox& box : row.boxes) {
        if (!row.is_shown || !message_of_.contains(box.number)) continue;
        ends[box.number] = {box.kind == send_box ? box.end : box.start, row.y};
      }
    // Many lines are drawn nearly transparent.
    const std::string veil = fmt::format(
        " stroke-opacity=\"{:.2f}\"",
        std::clamp(100 / static_cast<double>(std::max<std::size_t>(messages["send"].size(), 1)), 0.12, 0.55));
    for (std::size_t m = 0; m < messages["send"].size(); ++m) {
      const auto from = ends.find(messages["send"][m].get<std::size_t>()),
                 to = ends.find(messages["receive"][m].get<std::size_t>());
      if (from == ends.end() || to == ends.end()) continue;
      const bool goes_down = from->second.y < to->second.y;
      picture_.line(x(from->second.time), from->second.y + (goes_down ? bar_height_ : 0), x(to->second.time),
                    to->second.y + (goes_down ? 0 : bar_height_), "ink", veil);
    }
    return true;
  }

  /// Draws the legend of colours and patterns; returns its lower end.
  double draw_legend(double y, bool has_lines) {
    double at = 4;
    const auto next = [&](double needed) {
      if (at > 4 && at + needed > picture_.width()) {
        at = 4;
        y += Picture::row_height;
      }
    };
    const auto key = [&](std::string_view colour, bool is_hatched, const std::string& says) {
      next(width_of(says) + 34);
      picture_.box(at, y - 9, 14, 11, colour);
      if (is_hatched) picture_.hatch(at, y - 9, 14, 11);
      picture_.text(at + 19, y, "start", says, "muted");
      at += width_of(says) + 34;
    };
    const auto say = [&](const std::string& text) {
      next(width_of(text) + 12);
      picture_.text(at, y, "start", text, "muted");
      at += width_of(text) + 12;
    };
    bool has[5] = {};
    for (const SvgRow& row : rows_)
      for (const SvgBox& box : row.boxes) has[box.kind] = true;
    const std::size_t streams = view_["streams"].size();
    if (streams > 1)
      for (std::size_t i = 0; i < streams; ++i)
        key(pale_colour_of(i), false, "stream " + view_["streams"][i].get<std::string>());
    else if (has[compute_box])
      key(pale_colour_of(0), false,
          has_replicas_ ? "compute, one colour per frame" : "compute, one colour per task");
    if (has[send_box]) key("send", false, "send");
    if (has[receive_box]) key("message", true, "receive");
    if (has[transfer_box]) key("message", false, "transfer on a link");
    if (has[wait_box]) key("grid", true, "waits");
    key("grid", false, "blank");
    const std::size_t messages = view_["messages"]["send"].size();
    if (has_lines)
      say("lines: messages");
    else if (messages > 0)
      say(fmt::format("{} messages, too many to draw", messages));
    if (const std::string idle = view_.value("idle", ""); !idle.empty()) say("idle: " + idle);
    if (is_in_ticks_) say("times in ticks");
    return y + 12;
  }

  const GanttJson& view_;
  std::vector<SvgRow> rows_;
  bool is_in_ticks_;
  /// Negative in a pipelined schedule.
  std::int64_t first_frame_;
  /// Several frames in an iteration, which are then distinguished by colours.
  bool has_replicas_;
  /// Length of the prefix common to all task names.
  std::size_t common_;
  double left_ = 40, first_ = 0, last_ = 0, row_height_ = 34, bar_height_ = 22;
  ChartAxis axis_;
  double width_;
  AxisScale scale_;
  Picture picture_;
  std::unordered_map<std::size_t, std::size_t> message_of_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> id_of_;
};

}  // namespace

Drawing svg_of_gantt(const GanttJson& view) {
  return GanttPicture(view).draw();
}

}  // namespace takt
