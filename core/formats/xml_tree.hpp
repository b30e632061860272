#pragma once
/// A parser for the part of XML that data files use: nested elements with attributes.
///
/// Comments, processing instructions, a document type and text between elements, including CDATA, are
/// ignored. Attributes may contain the five named entities and numbered ones below 128.

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/place.hpp"

namespace takt {

struct XmlAttribute {
  std::string name;
  std::string value;
  Place place;
};

struct XmlElement {
  std::string name;
  Place place;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;

  /// Returns null if there is none.
  [[nodiscard]] const XmlAttribute* find(std::string_view attribute) const;
};

/// Returns the outermost element. Throws ConfigError with file:line:column for an element without end, with
/// another end name, or nested more than 200 deep, and for a duplicate attribute. O(size).
[[nodiscard]] XmlElement parse_xml(std::string_view text, const std::string& file);

/// Returns a text as an attribute's value in double quotes. Throws ConfigError for a control character, which
/// XML cannot express.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace takt
