#include <thread>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/allowed_processors.hpp"
#include "core/error.hpp"
#include "pipeline/launch/child_process.hpp"
#include "pipeline/launch/mpirun.hpp"
#include "pipeline/launch/stop_requests.hpp"
#include "pipeline/service/client.hpp"
#include "pipeline/service/server.hpp"
#include "pipeline/streams/placed_stream.hpp"

namespace takt::cli {

namespace {

struct ServeArguments {
  std::string machine, folder, listen = "127.0.0.1:0";
};

/// This computer's processors, and the links between them as takt calibrate measures them: once, and then
/// from the service's folder.
logp::Machine own_machine(const std::filesystem::path& folder) {
  if (allowed_processors().size() == 1) return logp::Machine::constant(1, Time{0}, Time{0}, Time{0});
  const std::filesystem::path file = folder / "machine.yaml";
  if (!std::filesystem::exists(file)) {
    fmt::print(stderr, "takt: measuring the links between this computer's processors, once\n");
    pipeline::ChildProcess calibration({std::filesystem::read_symlink("/proc/self/exe"), "calibrate",
                                        "--output", file, "--duration", "5s", "--force"},
                                       {});
    std::vector<std::string> said;
    while (!calibration.ended()) std::this_thread::sleep_for(std::chrono::milliseconds{20});
    for (const std::string& line : calibration.read_lines()) said.push_back(line);
    if (!std::filesystem::exists(file))
      throw WorkError(fmt::format("cannot measure the links: {}; --machine gives them",
                                  said.empty() ? "takt calibrate died" : said.back()));
  }
  return logp::parse_machine(file.string());
}

int serve(const ServeArguments& arguments) {
  if (pipeline::own_rank()) throw UsageError("takt serve is started without mpirun or srun");
  const std::filesystem::path folder = std::filesystem::absolute(
      arguments.folder.empty() ? pipeline::usual_service_folder() : std::filesystem::path(arguments.folder));
  const pipeline::HttpAddress address = pipeline::parse_http_address(arguments.listen);
  std::filesystem::create_directories(folder);
  logp::Machine machine = arguments.machine.empty() ? own_machine(folder) : read_machine(arguments.machine);
  const std::vector<std::size_t> cores = pipeline::cores_for(machine.processor_count());
  if (cores.empty())
    throw ConfigError(fmt::format("--machine: {} processors, and this computer has {} that takt may use",
                                  machine.processor_count(), allowed_processors().size()));
  const pipeline::StopRequests stop_requests;
  pipeline::Service service({.machine = std::move(machine), .folder = folder, .cores = cores});
  pipeline::ServiceServer server(address, pipeline::own_token(folder), service);
  const bool is_v6 = address.host.find(':') != std::string::npos;
  const std::string contact =
      fmt::format(fmt::runtime(is_v6 ? "[{}]:{}" : "{}:{}"), address.host, server.port());
  pipeline::write_address(folder, contact);
  fmt::print(stderr, "takt: serving http://{}/ from {}\n", contact, folder.string());
  constexpr std::chrono::milliseconds interval{50};
  for (int passed_on = 0; stop_requests.count() == 0 || !service.is_idle();) {
    for (; passed_on < stop_requests.count(); ++passed_on) service.stop();
    server.run_for(interval);
    service.step();
  }
  // Answers that are on their way.
  server.run_for(interval);
  std::error_code ignored;
  std::filesystem::remove(folder / "address", ignored);
  return 0;
}

}  // namespace

void declare_serve(Command& command) {
  auto arguments = std::make_shared<ServeArguments>();
  add_machine_option(
      command, arguments->machine,
      "The processors that streams are admitted to: a file or its parameters; without, those of "
      "this computer, whose links are measured at the first start");
  command
      .add("--folder", arguments->folder,
           "Where the service keeps its store, logs, address and token; one service a folder")
      .value("FOLDER")
      .fallback("$XDG_STATE_HOME/takt/service");
  command.add("--listen", arguments->listen, "Where it answers: a port of loopback, or address:port; 0: any")
      .value("PORT")
      .fallback("127.0.0.1:0");
  command.note(
      "takt add, drop, ps, logs and status speak to it, over HTTP with a token that is in the folder; so may "
      "others: docs/streams.md.");
  command.note(
      "Ctrl-C lets its streams end. Started again, also after it was killed, it starts those that ran on "
      "their "
      "old places.");
  command.note("Exit code: 0 ended as asked, 1 the work failed, 2 an option is wrong.");
  command.example("takt serve --machine configs/machines/two-cores.yaml");
  command.does([arguments] { return serve(*arguments); });
}

}  // namespace takt::cli
