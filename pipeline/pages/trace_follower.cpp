#include "pipeline/pages/trace_follower.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/pictures/page.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/pages/unit_trace.hpp"
#include "pipeline/pages/unit_trace_page.hpp"

namespace takt::pipeline {

namespace {

/// What the page asks for; a notice takes the place of the figures.
std::string data_of(const Page& page, const std::string& notice) {
  return fmt::format("{{\"notice\":{},{}",
                     nlohmann::json(notice).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                     page_json(page).substr(1));
}

}  // namespace

TraceFollower::TraceFollower(std::string file, const HttpAddress& address)
    : file_(std::move(file)),
      data_(data_of({.title = std::filesystem::path(file_).filename().string()}, "No event yet.")),
      server_(address,
              {{path,
                [page = live_page()] {
                  return HttpAnswer{
                      .type = "text/html; charset=utf-8", .body = page, .policy = live_page_policy()};
                }},
               {"/data",
                [this] {
                  const std::lock_guard lock(mutex_);
                  return HttpAnswer{.type = "application/json", .body = data_};
                }}},
              {{"/quit",
                {.does =
                     [this](const std::string&) {
                       has_to_quit_ = true;
                       return HttpAnswer{.status = 202};
                     },
                 .needs_token = false}}}) {}

bool TraceFollower::read() {
  std::error_code failed;
  const auto size = std::filesystem::file_size(file_, failed);
  if (failed || size == 0) return false;
  const auto time = std::filesystem::last_write_time(file_, failed).time_since_epoch().count();
  const std::string version = fmt::format("{} {}", size, time);
  if (version == version_) return false;
  version_ = version;
  const std::string name = std::filesystem::path(file_).filename().string();
  std::string data;
  try {
    const NamedUnitTraces traces{name, read_unit_traces(read_text_file(file_), file_, true)};
    // A file without a whole line has nothing to be shown.
    data = traces.traces.empty() ? data_of({.title = name}, "No event yet.")
                                 : data_of(unit_trace_page(name, {&traces, 1}), "");
  } catch (const ConfigError& error) {
    data = data_of({.title = name}, error.what());
  }
  const std::lock_guard lock(mutex_);
  data_ = std::move(data);
  return true;
}

void TraceFollower::follow() {
  using Clock = std::chrono::steady_clock;
  constexpr auto usual = std::chrono::milliseconds(200);
  constexpr int share = 10;
  while (!has_to_quit_) {
    const auto begin = Clock::now();
    if (read()) server_.publish("grown", true);
    std::this_thread::sleep_for(std::max<Clock::duration>(usual, share * (Clock::now() - begin)));
  }
}

}  // namespace takt::pipeline
