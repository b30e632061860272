#pragma once
/// SVG for pages of core/pictures/html.hpp, in the colours of core/pictures/palette.hpp; picture_file makes
/// files of it. All elements have tooltips with their figures.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pictures/axis.hpp"
#include "core/pictures/palette.hpp"

namespace takt {

/// The meaning of a chart's colours: series i has the i-th colour, and from the ninth on another mark.
using ChartLegend = std::vector<std::string>;

/// Default width of charts, unless their contents determine it.
inline constexpr double chart_width = 640;

/// Returns the approximate width of the text, in pixels.
[[nodiscard]] double width_of(std::string_view text);

/// Returns the colour of a series.
[[nodiscard]] std::string colour_of(std::size_t series);
/// Returns the colour of boxes with text: tasks, frames, streams, processors.
[[nodiscard]] std::string pale_colour_of(std::size_t number);

/// The contents of a picture's `<svg>`, and its size in pixels.
struct Drawing {
  double width = 0, height = 0;
  std::string body;
};
/// Returns the drawing as an element of a page or a file.
[[nodiscard]] std::string svg_of(const Drawing& drawing);

/// Shortens the text to this many pixels at the size of pictures: whole, or with `…` instead of its middle,
/// or of its end if space is short; empty if not even one character and the ellipsis fit. The first `common`
/// bytes carry no information and are dropped first.
[[nodiscard]] std::string shortened_to(std::string_view text, double width, std::size_t common = 0);
/// Breaks the text into lines of this many pixels at blanks, and within longer words.
[[nodiscard]] std::vector<std::string> lines_in(std::string_view text, double width);
/// Returns the length in bytes of the names' common prefix, up to its last word separator. 0 if an ellipsis
/// would save nothing.
[[nodiscard]] std::size_t common_beginning(std::span<const std::string> names);

/// A picture that grows downwards. Lengths in pixels.
class Picture {
 public:
  static constexpr double row_height = 21, gap = 8;

  explicit Picture(double width) : width_(width) {}

  [[nodiscard]] double width() const { return width_; }

  /// `anchor` is `start`, `middle` or `end`; `more` are further attributes.
  void text(double x, double y, std::string_view anchor, std::string_view text,
            std::string_view colour = "ink", std::string_view more = {});
  /// Draws text rotated by an angle around its position.
  void turned_text(double x, double y, double angle, std::string_view anchor, std::string_view text,
                   std::string_view colour = "ink");
  void line(double x1, double y1, double x2, double y2, std::string_view colour, std::string_view more = {});
  /// `commands` are SVG's M, L, H, V.
  void path(std::string_view commands, std::string_view colour, std::string_view more = {});
  void box(double x, double y, double width, double height, std::string_view colour,
           std::string_view more = {});
  /// Draws stripes of the background over a box, so that its kind is visible without its colour.
  void hatch(double x, double y, double width, double height);
  /// Draws a point of a series.
  void mark(double x, double y, double radius, std::size_t series);

  /// Attaches this tooltip to the following elements, until the end of the group.
  void begin_group(std::string_view title);
  void end_group() { out_ += "</g>\n"; }

  /// Draws the colours' names in rows from the top; returns their lower end. One name needs no legend. Parts
  /// of bars are pale.
  double legend(const ChartLegend& names, double top, bool is_pale = false);
  /// Draws marks below a plot, or above it, with grid lines through it, and the axis' title; returns their
  /// lower end.
  double axis_below(const ChartAxis& axis, const AxisScale& scale, double left, double right, double top,
                    double bottom);
  void axis_above(const AxisScale& scale, double left, double right, double top, double bottom);
  /// Draws marks to the left of a plot, with grid lines through it, and the axis' title at the left edge.
  void axis_left(const ChartAxis& axis, const AxisScale& scale, double left, double right, double top,
                 double bottom);
  /// Returns the width of the marks to the left.
  [[nodiscard]] static double width_of_marks(const AxisScale& scale);

  /// Appends SVG elements unchanged.
  void raw(std::string_view elements) { out_ += elements; }
  /// Places another drawing with its upper left corner there.
  void place(double x, double y, const Drawing& drawing);

  [[nodiscard]] Drawing drawn(double height) && { return {width_, height, std::move(out_)}; }
  [[nodiscard]] std::string finished(double height) &&;

 private:
  double width_;
  std::string out_;
};

}  // namespace takt
