#include "pipeline/launch/hosts/host_answer.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include <mpi.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "logp/mpi/blocking.hpp"
#include "logp/mpi/session.hpp"
#include "pipeline/protocol/crash_report.hpp"
#include "pipeline/protocol/rank_link.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

namespace {

/// Available without starting MPI.
std::string mpi_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view name(text.data());
  return std::string(name.substr(0, name.find_first_of(",\n")));
}

std::string text_of(const HostAnswer& answer) {
  nlohmann::json json{{"rank", answer.rank}, {"clock_ns", answer.clock_ns}};
  if (answer.facts) json["facts"] = to_text(*answer.facts);
  return json_line(json);
}

/// Sends a message from every rank to every other one.
void meet_all() {
  const mpi::Session session(die);
  (void)mpi::gather(session.rank(), MPI_COMM_WORLD);
  for (int from = 0; from < session.size(); ++from)
    for (int to = from + 1; to < session.size(); ++to) {
      int value = 0;
      MPI_Request request = MPI_REQUEST_NULL;
      if (session.rank() == from)
        MPI_Isend(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request);
      else if (session.rank() == to)
        MPI_Irecv(&value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &request);
      if (request != MPI_REQUEST_NULL) mpi::wait(request);
    }
  mpi::barrier(MPI_COMM_WORLD);
}

}  // namespace

HostAnswer host_answer_from_text(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  try {
    HostAnswer answer{.rank = json.at("rank").get<std::size_t>(),
                      .clock_ns = json.at("clock_ns").get<std::int64_t>()};
    if (json.contains("facts")) answer.facts = host_facts_from_text(json.at("facts").get<std::string>());
    return answer;
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError(error.what());
  }
}

std::int64_t day_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool is_asked_by_survey() {
  return own_rank() && std::getenv(question_variable) != nullptr;
}

int answer_survey(const std::string& version) {
  constexpr int clock_looks = 10;
  const RankFolder folder;
  const HostQuestion question = host_question_from_text(std::getenv(question_variable));
  const auto rank = static_cast<std::size_t>(own_rank().value());
  const std::unique_ptr<RankLink> link = link_to_launcher();
  if (!link) throw ConfigError("takt doctor starts its ranks itself: run it without mpirun");
  HostFacts facts = facts_of_this_host(question, version);
  facts.mpi = mpi_name();
  link->send({RankMessageKind::facts, text_of({.rank = rank, .facts = std::move(facts)})});
  // The first messages wait for the connection.
  for (int look = 0; look < clock_looks; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds{look < clock_looks / 2 ? 2 : 10});
    link->send({RankMessageKind::clock, text_of({.rank = rank, .clock_ns = day_ns()})});
  }
  if (question.tries_mpi) {
    meet_all();
    link->send({RankMessageKind::met, text_of({.rank = rank})});
  }
  return 0;
}

}  // namespace takt::pipeline
