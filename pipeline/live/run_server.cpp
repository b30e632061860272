#include "pipeline/live/run_server.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/pictures/page.hpp"
#include "pipeline/live/live_update.hpp"
#include "pipeline/live/metrics.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

HttpAnswer health(const RunRecord& record) {
  if (!record.failure.empty()) return {.status = 503, .body = record.failure + "\n"};
  if (record.ranks.empty()) return {.status = 503, .body = "no rank has been heard of\n"};
  for (std::size_t rank = 0; rank < record.ranks.size(); ++rank) {
    if (!record.ranks[rank])
      return {.status = 503, .body = fmt::format("rank {} has not been heard of\n", rank)};
    if (!record.ranks[rank]->failure.empty())
      return {.status = 503, .body = fmt::format("rank {}: {}\n", rank, record.ranks[rank]->failure)};
  }
  return {.body = "ok\n"};
}

}  // namespace

RunServer::RunServer(const HttpAddress& address)
    : start_ns_(now_ns()),
      server_(
          address,
          {{"/",
            [] {
              try {
                return HttpAnswer{
                    .type = "text/html; charset=utf-8", .body = live_page(), .policy = live_page_policy()};
              } catch (const WorkError& error) {
                return HttpAnswer{.status = 503, .body = std::string(error.what()) + "\n"};
              }
            }},
           {"/metrics",
            [this] {
              return HttpAnswer{.type = "text/plain; version=0.0.4; charset=utf-8",
                                .body = to_prometheus(now())};
            }},
           {"/status",
            [this] { return HttpAnswer{.type = "application/json", .body = to_json(make_report(now()))}; }},
           {"/graph",
            [this] {
              std::string graph = live_graph(now());
              if (graph.empty()) return HttpAnswer{.status = 503, .body = "there is no plan yet\n"};
              return HttpAnswer{.type = "application/json", .body = std::move(graph)};
            }},
           {"/healthz", [this] { return health(now()); }}}) {}

RunRecord RunServer::now() const {
  const std::lock_guard lock(mutex_);
  return record_;
}

double RunServer::seconds() const {
  return static_cast<double>(now_ns() - start_ns_) / 1e9;
}

void RunServer::show(const RunRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    record_ = record;
  }
  // Nobody is told what nobody hears.
  if (server_.listeners() > 0) server_.publish(live_update(record, seconds()));
}

}  // namespace takt::pipeline
