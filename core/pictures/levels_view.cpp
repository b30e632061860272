#include "core/pictures/levels_view.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/formats/json.hpp"

namespace takt {

namespace {

using LevelsJson = nlohmann::ordered_json;

constexpr double levels_width = 960, box_padding = 10, box_distance = 8, line_of_name = 17,
                 line_of_detail = 15;

class LevelsPicture {
 public:
  explicit LevelsPicture(const LevelsJson& boxes)
      : names_(boxes["name"].get<std::vector<std::string>>()),
        details_(boxes["detail"].get<std::vector<std::string>>()),
        held_(names_.size()),
        picture_(levels_width) {
    for (std::size_t box = 0; box < names_.size(); ++box) {
      const auto inside = boxes["inside"][box].get<std::int64_t>();
      (inside < 0 ? roots_ : held_[static_cast<std::size_t>(inside)]).push_back(box);
    }
  }

  Drawing draw() && {
    const double end = place(roots_, 2, 2, levels_width - 4);
    return std::move(picture_).drawn(end + 2);
  }

 private:
  [[nodiscard]] double height_of_text(std::size_t box) const {
    return 2 * box_padding + line_of_name + (details_[box].empty() ? 0 : line_of_detail);
  }
  [[nodiscard]] double width_of_leaf(std::size_t box) const {
    return std::max(width_of(names_[box]), width_of(details_[box])) + 2 * box_padding;
  }

  /// Draws boxes below a position; returns their lower end.
  double place(const std::vector<std::size_t>& boxes, double left, double y, double width) {
    double x = left, row = 0;
    for (const std::size_t box : boxes) {
      const bool is_leaf = held_[box].empty();
      const double wide = is_leaf ? std::min(width, width_of_leaf(box)) : width;
      if (x > left && x + wide > left + width) {
        x = left;
        y += row + box_distance;
        row = 0;
      }
      const double high = is_leaf ? draw_leaf(box, x, y, wide) : draw_holder(box, x, y, wide);
      row = std::max(row, high);
      x += wide + box_distance;
    }
    return y + row;
  }

  void write(std::size_t box, double x, double y, double width) {
    const double room = width - 2 * box_padding;
    picture_.text(x + box_padding, y + box_padding + 12, "start", shortened_to(names_[box], room), "ink");
    if (!details_[box].empty())
      picture_.text(x + box_padding, y + box_padding + 12 + line_of_detail, "start",
                    shortened_to(details_[box], room), "muted", " font-size=\"11\"");
  }

  void outline(double x, double y, double width, double height) {
    picture_.path(fmt::format("M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z", x, y, x + width, y + height),
                  "muted");
  }

  double draw_leaf(std::size_t box, double x, double y, double width) {
    const double height = height_of_text(box);
    picture_.begin_group(names_[box] + (details_[box].empty() ? "" : ": " + details_[box]));
    picture_.box(x, y, width, height, "grid", " fill-opacity=\"0.5\"");
    outline(x, y, width, height);
    write(box, x, y, width);
    picture_.end_group();
    return height;
  }

  double draw_holder(std::size_t box, double x, double y, double width) {
    const double top = y + height_of_text(box) - box_padding;
    const double end = place(held_[box], x + box_padding, top + 2, width - 2 * box_padding) + box_padding;
    outline(x, y, width, end - y);
    write(box, x, y, width);
    return end - y;
  }

  std::vector<std::string> names_, details_;
  std::vector<std::vector<std::size_t>> held_;
  std::vector<std::size_t> roots_;
  Picture picture_;
};

}  // namespace

View levels_view(std::string_view name, std::string_view says, std::span<const LevelBox> boxes) {
  LevelsJson columns{
      {"name", LevelsJson::array()}, {"detail", LevelsJson::array()}, {"inside", LevelsJson::array()}};
  for (const LevelBox& box : boxes) {
    columns["name"].push_back(box.name);
    columns["detail"].push_back(box.detail);
    columns["inside"].push_back(box.inside ? static_cast<std::int64_t>(*box.inside) : -1);
  }
  const LevelsJson view{{"kind", "levels"}, {"name", name}, {"says", says}, {"boxes", columns}};
  return view.dump(-1, ' ', false, LevelsJson::error_handler_t::replace);
}

Drawing svg_of_levels(const LevelsJson& view) {
  return LevelsPicture(view["boxes"]).draw();
}

}  // namespace takt
