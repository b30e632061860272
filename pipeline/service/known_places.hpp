#pragma once
/// Which processors a service's hosts had when they answered last: it starts without those that do not.

#include <filesystem>

#include "pipeline/streams/processor_places.hpp"

namespace takt::pipeline {

/// Those that the last service on this folder had; none where there was no other. Throws ConfigError for a
/// file that is not takt's.
[[nodiscard]] ProcessorPlaces known_places(const std::filesystem::path& folder);

/// For the next one. To be called by the service that has the folder.
void remember_places(const std::filesystem::path& folder, const ProcessorPlaces& places);

}  // namespace takt::pipeline
