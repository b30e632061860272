#pragma once
/// SVG for pages of core/pictures/html.hpp, in the colours of core/pictures/palette.hpp; picture_file makes
/// files of it. Everything tells its figures when pointed at.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pictures/axis.hpp"
#include "core/pictures/palette.hpp"

namespace takt {

/// What the colours of a chart stand for: series i has the i-th colour, and from the ninth on another mark.
using ChartLegend = std::vector<std::string>;

/// How wide charts are, but for those whose contents say it.
inline constexpr double chart_width = 640;

/// About as wide as the text, in pixels.
[[nodiscard]] double width_of(std::string_view text);

/// The colour of a series.
[[nodiscard]] std::string colour_of(std::size_t series);
/// Of boxes that hold letters: tasks, frames, streams, processors.
[[nodiscard]] std::string pale_colour_of(std::size_t number);

/// What is inside a picture's `<svg>`, and how large it is in pixels.
struct Drawing {
  double width = 0, height = 0;
  std::string body;
};
/// The drawing as an element of a page or a file.
[[nodiscard]] std::string svg_of(const Drawing& drawing);

/// The text in so many pixels at the size of pictures: whole, or `…` in place of its middle, or of its end
/// where room is short; nothing where a letter and the dots have no room. The first `common` bytes tell
/// nothing: they go first.
[[nodiscard]] std::string shortened_to(std::string_view text, double width, std::size_t common = 0);
/// The text in lines of so many pixels, broken at blanks, and within words that are longer.
[[nodiscard]] std::vector<std::string> lines_in(std::string_view text, double width);
/// How many bytes all names begin with, up to the last one of them that parts words: they tell none of them
/// apart. 0 where that would not be worth an ellipsis.
[[nodiscard]] std::size_t common_beginning(std::span<const std::string> names);

/// A picture that grows downwards. Lengths in pixels.
class Picture {
 public:
  static constexpr double row_height = 21, gap = 8;

  explicit Picture(double width) : width_(width) {}

  [[nodiscard]] double width() const { return width_; }

  /// `anchor` is `start`, `middle` or `end`; `more` are attributes beside the class.
  void text(double x, double y, std::string_view anchor, std::string_view text,
            std::string_view colour = "ink", std::string_view more = {});
  /// Turned by an angle around its place.
  void turned_text(double x, double y, double angle, std::string_view anchor, std::string_view text,
                   std::string_view colour = "ink");
  void line(double x1, double y1, double x2, double y2, std::string_view colour, std::string_view more = {});
  /// Of SVG's commands M, L, H, V.
  void path(std::string_view commands, std::string_view colour, std::string_view more = {});
  void box(double x, double y, double width, double height, std::string_view colour,
           std::string_view more = {});
  /// Stripes of the background over a box, so that its kind shows without its colour.
  void hatch(double x, double y, double width, double height);
  /// A point of a series.
  void mark(double x, double y, double radius, std::size_t series);

  /// What follows, until the end of the group, says this when pointed at.
  void begin_group(std::string_view title);
  void end_group() { out_ += "</g>\n"; }

  /// The colours' names in rows from the top; returns where they end. One name needs no legend. Parts of
  /// bars are pale.
  double legend(const ChartLegend& names, double top, bool is_pale = false);
  /// Marks below a plot, or above it, with grid lines through it, and the axis' title; returns where that
  /// ends.
  double axis_below(const ChartAxis& axis, const AxisScale& scale, double left, double right, double top,
                    double bottom);
  void axis_above(const AxisScale& scale, double left, double right, double top, double bottom);
  /// Marks to the left of a plot, with grid lines through it, and the axis' title at the picture's edge.
  void axis_left(const ChartAxis& axis, const AxisScale& scale, double left, double right, double top,
                 double bottom);
  /// How wide the marks to the left are.
  [[nodiscard]] static double width_of_marks(const AxisScale& scale);

  /// Elements of SVG as they are.
  void raw(std::string_view elements) { out_ += elements; }
  /// Another drawing with its upper left corner there.
  void place(double x, double y, const Drawing& drawing);

  [[nodiscard]] Drawing drawn(double height) && { return {width_, height, std::move(out_)}; }
  [[nodiscard]] std::string finished(double height) &&;

 private:
  double width_;
  std::string out_;
};

}  // namespace takt
