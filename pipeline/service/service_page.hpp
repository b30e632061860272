#pragma once
/// What a service remembers, as a page.

#include <filesystem>
#include <string>

#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// Whether a file begins as a database of SQLite.
[[nodiscard]] bool begins_as_database(const std::filesystem::path& file);

/// The streams of a service's store (pipeline/service/store.hpp), those that ended and failed too, and the
/// timetable of those that run. The file is read only, also while the service is at work. Throws WorkError
/// where it is no store of takt's.
[[nodiscard]] Page service_page(const std::string& name, const std::filesystem::path& file);

}  // namespace takt::pipeline
