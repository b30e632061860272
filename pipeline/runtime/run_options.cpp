#include "pipeline/runtime/run_options.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace takt::pipeline {

sensors::OutputBook Restarting::book_of(std::size_t sink) const {
  const auto earlier = begun.find(sink);
  // The sink may outlive the executor.
  sensors::OutputBook::Tell report_name;
  if (tell) report_name = [sink, report = tell](const std::string& name) { report({{sink, {name}}}); };
  return sensors::OutputBook(books / fmt::format("sink-{}", sink),
                             earlier == begun.end() ? std::vector<std::string>{} : earlier->second,
                             std::move(report_name));
}

}  // namespace takt::pipeline
