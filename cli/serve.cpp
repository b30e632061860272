#include <cerrno>
#include <filesystem>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "cli/shared_processors.hpp"
#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/own_program.hpp"
#include "pipeline/launch/jobs/child_process.hpp"
#include "pipeline/launch/jobs/stop_requests.hpp"
#include "pipeline/protocol/run_folder.hpp"
#include "pipeline/service/client.hpp"
#include "pipeline/service/known_places.hpp"
#include "pipeline/service/server.hpp"
#include "pipeline/streams/placed_stream.hpp"

namespace takt::cli {

namespace {

struct ServeArguments {
  std::string machine, folder, listen = "127.0.0.1:0";
  std::vector<std::string> hosts;
};

/// Returns the processors with links measured as by takt calibrate; measured once and stored in the service's
/// directory.
logp::Machine measured_machine(const std::filesystem::path& folder, const SharedProcessors& processors) {
  if (processors.places.size() == 1) return logp::Machine::constant(1, Time{0}, Time{0}, Time{0});
  const std::filesystem::path file = folder / "machine.yaml";
  if (!std::filesystem::exists(file)) {
    if (!processors.lost.empty())
      throw ConfigError(
          fmt::format("--hosts: {} does not answer ({}): cannot measure its links; give them with --machine",
                      processors.lost.begin()->first, processors.lost.begin()->second));
    fmt::print(stderr, "takt: measuring the links between {}, once\n",
               processors.hosts.empty() ? "this computer's processors" : processors.hosts);
    std::vector<std::string> command{own_program(), "calibrate", "--output", file,
                                     "--duration",  "5s",        "--force"};
    if (!processors.hosts.empty()) command.insert(command.end(), {"--hosts", processors.hosts});
    pipeline::ChildProcess calibration(command, {});
    std::vector<std::string> said;
    while (!calibration.ended()) std::this_thread::sleep_for(std::chrono::milliseconds{20});
    for (const std::string& line : calibration.read_lines()) said.push_back(line);
    if (!std::filesystem::exists(file))
      throw WorkError(fmt::format("cannot measure the links: {}; give them with --machine",
                                  said.empty() ? "takt calibrate died" : said.back()));
  }
  return logp::parse_machine(file.string());
}

/// Creates the directory if necessary and checks that it is writable.
void expect_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && ::access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
    error.assign(errno, std::generic_category());
  if (error)
    throw ConfigError(fmt::format("--folder: cannot write to {}: {}: expected a writable folder",
                                  folder.string(), error.message()));
}

/// Ignores a damaged file: it is written again once all hosts have answered.
pipeline::ProcessorPlaces known_places(const std::filesystem::path& folder) {
  try {
    return pipeline::known_places(folder);
  } catch (const ConfigError& error) {
    fmt::print(stderr, "takt: warning: {}: the service starts without it if all hosts answer\n",
               error.message());
    return {};
  }
}

int serve(const ServeArguments& arguments) {
  if (pipeline::own_rank()) throw UsageError("takt serve is started without mpirun or srun");
  const std::filesystem::path folder = std::filesystem::absolute(
      arguments.folder.empty() ? pipeline::usual_service_folder() : std::filesystem::path(arguments.folder));
  const pipeline::HttpAddress address = pipeline::parse_http_address(arguments.listen);
  expect_folder(folder);
  std::optional<pipeline::StartingMark> starts(folder);
  SharedProcessors processors = shared_processors(arguments.hosts, arguments.machine, known_places(folder));
  for (const std::string& warning : processors.warnings) fmt::print(stderr, "takt: warning: {}\n", warning);
  if (processors.places.empty())
    throw ConfigError(fmt::format("--machine: {} processors, but takt may use {} of this computer",
                                  processors.machine->processor_count(), allowed_processors().size()));
  logp::Machine machine =
      processors.machine ? *std::move(processors.machine) : measured_machine(folder, processors);
  if (machine.processor_count() != processors.places.size())
    throw ConfigError(
        fmt::format("{}: the measured machine has {} processors, there are {} now: remove this file to "
                    "measure anew, or give another --folder",
                    (folder / "machine.yaml").string(), machine.processor_count(), processors.places.size()));
  const pipeline::StopRequests stop_requests;
  pipeline::Service service({.machine = std::move(machine),
                             .folder = folder,
                             .places = processors.places,
                             .lost = processors.lost});
  if (!processors.hosts.empty()) pipeline::remember_places(folder, processors.places);
  pipeline::ServiceServer server(address, pipeline::own_token(folder), service);
  const bool is_v6 = address.host.find(':') != std::string::npos;
  const std::string contact =
      fmt::format(fmt::runtime(is_v6 ? "[{}]:{}" : "{}:{}"), address.host, server.port());
  pipeline::write_address(folder, contact);
  starts.reset();
  fmt::print(stderr, "takt: serving http://{}/ from {}\n", contact, folder.string());
  constexpr std::chrono::milliseconds interval{50};
  for (int passed_on = 0; stop_requests.count() == 0 || !service.is_idle();) {
    for (; passed_on < stop_requests.count(); ++passed_on) service.stop();
    server.run_for(interval);
    service.step();
  }
  // Sends outstanding answers.
  server.run_for(interval);
  std::error_code ignored;
  std::filesystem::remove(folder / "address", ignored);
  return 0;
}

}  // namespace

void declare_serve(Command& command) {
  auto arguments = std::make_shared<ServeArguments>();
  add_machine_option(command, arguments->machine,
                     "Processors for the streams: a machine file or its parameters; default: those of this "
                     "computer or of --hosts, whose links takt measures at the first start");
  add_hosts_option(command, arguments->hosts,
                   "Hosts of the processors: node1,node2:4 (all of node1, four of node2); default: this "
                   "computer, or the hosts of the Slurm allocation");
  command
      .add("--folder", arguments->folder,
           "Folder of the service's store, logs, address and token; one service per folder")
      .value("FOLDER")
      .fallback("$XDG_STATE_HOME/takt/service");
  command
      .add("--listen", arguments->listen,
           "Address of its HTTP service: a port of loopback, or address:port; 0: any free port")
      .value("PORT")
      .fallback("127.0.0.1:0");
  command.note(
      "takt add, drop, ps, logs and status use its HTTP service, with the token in the folder; so can other "
      "programs (docs/how-to/streams.md).");
  command.note(
      "Ctrl-C ends its streams in order. After a restart or a crash the service starts its streams again on "
      "their former processors.");
  command.note("Exit code: 0 ended on request, 1 the work failed, 2 an option is wrong.");
  command.example("takt serve --machine configs/machines/two-cores.yaml");
  command.does([arguments] { return serve(*arguments); });
}

}  // namespace takt::cli
