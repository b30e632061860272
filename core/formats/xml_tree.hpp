#pragma once
/// The part of XML that files of data use: elements with attributes, in one another.
///
/// Comments, processing instructions and a document type are passed over, and so is text between elements,
/// CDATA included. The five named entities and numbered ones below 128 are known in attributes.

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

  /// Null where there is none.
  [[nodiscard]] const XmlAttribute* find(std::string_view attribute) const;
};

/// The outermost element. Throws ConfigError with file:line:column on an element that does not end, ends
/// under another name, or is nested more than 200 deep, and on an attribute that stands twice. O(size).
[[nodiscard]] XmlElement parse_xml(std::string_view text, const std::string& file);

/// A text as an attribute's value in double quotes. Throws ConfigError for a control character, which XML
/// cannot express.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace takt
