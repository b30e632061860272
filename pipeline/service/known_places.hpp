#pragma once
/// Stores the processors of a service's hosts, so that it can start without hosts that do not answer.

#include <filesystem>

#include "pipeline/streams/processor_places.hpp"

namespace takt::pipeline {

/// Returns the places of the last service on this directory; empty if there was none. Throws ConfigError for
/// a file of another program.
[[nodiscard]] ProcessorPlaces known_places(const std::filesystem::path& folder);

/// Stores the places for the next service. Call it in the service that owns the directory.
void remember_places(const std::filesystem::path& folder, const ProcessorPlaces& places);

}  // namespace takt::pipeline
