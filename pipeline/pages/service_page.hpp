#pragma once
/// Shows the store of a service as a page.

#include <filesystem>
#include <string>

#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// Returns true if a file begins like an SQLite database.
[[nodiscard]] bool begins_as_database(const std::filesystem::path& file);

/// Shows the streams of a service's store (pipeline/service/store.hpp), including ended and failed ones, and
/// the timetable of the running ones. Only reads the file, which may belong to a running service. Throws
/// WorkError for another kind of file.
[[nodiscard]] Page service_page(const std::string& name, const std::filesystem::path& file);

}  // namespace takt::pipeline
