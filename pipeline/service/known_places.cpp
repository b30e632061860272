#include "pipeline/service/known_places.hpp"

#include <exception>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/system/text_file.hpp"

namespace takt::pipeline {

namespace {

std::filesystem::path places_file(const std::filesystem::path& folder) {
  return folder / "places.json";
}

}  // namespace

ProcessorPlaces known_places(const std::filesystem::path& folder) {
  const std::filesystem::path file = places_file(folder);
  ProcessorPlaces places;
  if (!std::filesystem::exists(file)) return places;
  try {
    const nlohmann::json list = parse_json(read_text_file(file));
    if (!list.is_array()) throw ConfigError("not a list");
    for (const nlohmann::json& each : list) {
      if (!each.at("core").is_number_unsigned())
        throw ConfigError("'core': expected the number of a processor");
      places.push_back({.host = each.at("host"), .core = each.at("core")});
    }
  } catch (const std::exception& error) {
    throw ConfigError(fmt::format("{}: expected a list of objects with 'host' and 'core': {}", file.string(),
                                  error.what()));
  }
  return places;
}

void remember_places(const std::filesystem::path& folder, const ProcessorPlaces& places) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ProcessorPlace& place : places) list.push_back({{"host", place.host}, {"core", place.core}});
  write_text_file(places_file(folder), json_text(list));
}

}  // namespace takt::pipeline
