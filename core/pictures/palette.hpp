#pragma once
/// The colours and fonts of all pictures and pages, on light and on dark screens.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// A colour by its purpose.
struct Colour {
  /// In pictures, class `f-NAME` fills with it and `s-NAME` draws lines of it; in pages it is `var(--NAME)`.
  std::string_view name;
  std::string_view light, dark;
};

/// Lines, dots and bars of series i have the colour `c` and i modulo this.
inline constexpr std::size_t series_colours = 8;
/// Boxes with text have the colour `p` and i modulo this: messages are grey, so that the series' black, whose
/// pale form is grey, is omitted.
inline constexpr std::size_t pale_colours = 7;

/// The series are those of Okabe and Ito ("Color Universal Design", 2008), with brown instead of the yellow
/// that is hardly visible on white paper, and lighter ones for dark screens. The boxes' colours are paler, as
/// distinct as readable text on them permits. A test checks all adjacent colours for three kinds of colour
/// blindness.
inline constexpr std::array palette{
    Colour{"c0", "#0072b2", "#3a80d2"},
    Colour{"c1", "#d55e00", "#e8701a"},
    Colour{"c2", "#009e73", "#35c98a"},
    Colour{"c3", "#cc79a7", "#c47fb0"},
    Colour{"c4", "#e69f00", "#f2c230"},
    Colour{"c5", "#56b4e9", "#9fd0ff"},
    Colour{"c6", "#1d2330", "#f4f6fa"},
    Colour{"c7", "#7a4a2a", "#a05a3c"},
    Colour{"p0", "#5797c2", "#1f57bd"},
    Colour{"p1", "#f2892a", "#6f3f20"},
    Colour{"p2", "#68c26f", "#266752"},
    Colour{"p3", "#b88399", "#82528b"},
    Colour{"p4", "#ffe1a2", "#75652e"},
    Colour{"p5", "#a4d8f5", "#314764"},
    Colour{"p6", "#b9a499", "#523932"},
    Colour{"page", "#f5f6f8", "#12151b"},
    Colour{"card", "#ffffff", "#1b2029"},
    Colour{"ink", "#1d2330", "#e4e8ef"},
    Colour{"muted", "#5d6678", "#97a1b3"},
    Colour{"grid", "#dde1e8", "#323947"},
    Colour{"good", "#009e73", "#35c98a"},
    Colour{"heat", "#d55e00", "#e8701a"},
    // For messages: sends, and received or transferred data.
    Colour{"send", "#3f444f", "#c6cad1"},
    Colour{"message", "#b6bac2", "#535a67"},
};

/// Returns the CSS of pictures: the definitions of their classes.
[[nodiscard]] const std::string& picture_style();

/// Returns CSS that defines the palette as variables, for pages.
[[nodiscard]] const std::string& page_colours();

/// Returns a separate file for a page's picture, with its style and a background. Renderers without dark mode
/// draw the light one.
[[nodiscard]] std::string picture_file(const std::string& svg);

}  // namespace takt
