#include "pipeline/pages/service_page.hpp"

#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"
#include "pipeline/pages/schedule_page.hpp"
#include "pipeline/service/store.hpp"
#include "sensors/files/file_pattern.hpp"

namespace takt::pipeline {

namespace {

using StoreJson = nlohmann::ordered_json;

View streams_view(const std::vector<StoredStream>& streams) {
  const auto number = [](double value) { return value > 0 ? fmt::format("{:.10g}", value) : "-"; };
  StoreJson numbers = StoreJson::array();
  for (const ColumnKind kind : {ColumnKind::text, ColumnKind::text, ColumnKind::hz, ColumnKind::hz,
                                ColumnKind::ns, ColumnKind::text, ColumnKind::text, ColumnKind::text})
    numbers.push_back(static_cast<int>(kind));
  StoreJson table{
      {"kind", "table"},
      {"name", "Streams"},
      {"says", "In order of addition; ended and failed streams hold no processor."},
      {"columns", {"stream", "state", "required", "reserved", "latency", "added (UTC)", "file", "failure"}},
      {"numbers", numbers},
      {"rows", StoreJson::array()}};
  constexpr std::int64_t second = 1'000'000'000;
  for (const StoredStream& each : streams)
    table["rows"].push_back({each.name, std::string(name_of(each.state)), number(each.required_hz),
                             number(each.promised_hz), number(static_cast<double>(each.latency_ns)),
                             sensors::name_at("%Y-%m-%dT%H:%M:%S", each.added * second), each.file,
                             each.failure.empty() ? "-" : each.failure});
  return table.dump(-1, ' ', false, StoreJson::error_handler_t::replace);
}

}  // namespace

bool begins_as_database(const std::filesystem::path& file) {
  constexpr std::string_view begin = "SQLite format 3";
  std::string text(begin.size(), '\0');
  std::ifstream(file, std::ios::binary).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text == begin;
}

Page service_page(const std::string& name, const std::filesystem::path& file) {
  const ServiceStore store(file, StoreAccess::read_only);
  const std::vector<StoredStream> streams = store.streams();
  const std::string timetable = store.timetable();
  Page page{.title = name,
            .says = "The store of a service (takt serve).",
            .facts = {{"streams", fmt::format("{}", streams.size()), ""}},
            .views = {streams_view(streams)}};
  if (timetable.empty()) return page;
  const NamedScheduleFile schedule{name, logp::schedule_from_yaml(timetable, name)};
  Page placed = schedule_page({&schedule, 1});
  page.facts.insert(page.facts.end(), placed.facts.begin(), placed.facts.end());
  for (View& view : placed.views) page.views.push_back(std::move(view));
  return page;
}

}  // namespace takt::pipeline
