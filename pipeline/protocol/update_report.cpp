#include "pipeline/protocol/update_report.hpp"

#include "core/formats/json.hpp"

namespace takt::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(UpdateReport, number, rank, frame, epoch, utc_ns)

std::string to_text(const UpdateReport& report) {
  return json_line(report);
}

UpdateReport update_report_from_text(std::string_view text) {
  return value_from_json<UpdateReport>(text);
}

}  // namespace takt::pipeline
