/// The client commands of a service: add, drop, ps, logs, status.

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "core/system/text_file.hpp"
#include "core/units.hpp"
#include "pipeline/service/client.hpp"

namespace takt::cli {

namespace {

using nlohmann::json;

struct AskArguments {
  std::string folder, at, token, format;
  /// For add, drop and logs.
  std::string subject, name, profile;
  bool overwrites = false;
};

void add_contact_options(Command& command, AskArguments& arguments) {
  const char* const group = "Which service";
  command.add("--folder", arguments.folder, "The folder of the service on this computer")
      .value("FOLDER")
      .fallback("$XDG_STATE_HOME/takt/service")
      .group(group);
  command.add("--at", arguments.at, "Its address; default: from its folder").value("ADDRESS").group(group);
  command.add("--token", arguments.token, "A file with its token; default: in its folder")
      .value("FILE")
      .group(group);
}

std::string token_in(const std::string& file) {
  const std::string text = read_text_file(file);
  return text.substr(0, text.find('\n'));
}

pipeline::ServiceContact contact_of(const AskArguments& arguments) {
  const std::filesystem::path folder =
      arguments.folder.empty() ? pipeline::usual_service_folder() : std::filesystem::path(arguments.folder);
  pipeline::ServiceContact contact;
  if (arguments.at.empty() || arguments.token.empty()) contact = pipeline::read_contact(folder);
  if (!arguments.at.empty()) contact.address = arguments.at;
  if (!arguments.token.empty()) contact.token = token_in(arguments.token);
  return contact;
}

std::string rate_text(const json& value) {
  return value.is_number() ? to_string(Frequency{value.get<double>()}) : "-";
}

/// Formats an error for users: a rejection includes a remedy.
std::string refusal_text(const json& body) {
  std::string text = body.at("error");
  if (body.contains("possible_hz") && body["possible_hz"].is_number())
    text += fmt::format("; {} fits", rate_text(body["possible_hz"]));
  if (body.contains("margin") && body["margin"] != 1)
    text += fmt::format(" (with a margin of {:.3g})", body["margin"].get<double>());
  if (body.contains("advice"))
    for (const json& advice : body["advice"]) text += "; " + advice.get<std::string>();
  return text;
}

/// Sends a request and returns a successful answer. Throws ConfigError for an invalid request, WorkError for
/// a rejected one.
json successful_answer(const AskArguments& arguments, const std::string& method, const std::string& target,
                       const std::string& body = {}) {
  const pipeline::ServiceAnswer answer = pipeline::ask(contact_of(arguments), method, target, body);
  const json parsed = parse_json(answer.body);
  constexpr unsigned first_error = 400, conflict = 409;
  if (answer.status < first_error) return parsed;
  if (answer.status == conflict) throw WorkError(refusal_text(parsed));
  throw ConfigError(refusal_text(parsed));
}

int show_answer(const json& answer, const AskArguments& arguments, const std::string& text) {
  std::cout << (arguments.format == "json" ? json_text(answer) : text);
  return 0;
}

/// Prints a line on stderr after half a second, if the object still exists.
class LateLine {
 public:
  explicit LateLine(std::string line)
      : thread_([this, line = std::move(line)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          if (!wake_.wait_for(lock, stop, std::chrono::milliseconds{500},
                              [&] { return stop.stop_requested(); }))
            fmt::print(stderr, "takt: {}\n", line);
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

int add_stream(const AskArguments& arguments) {
  json request{{"file", std::filesystem::absolute(arguments.subject).lexically_normal().string()},
               {"folder", std::filesystem::current_path().string()},
               {"overwrite", arguments.overwrites}};
  // A missing file is best reported here.
  (void)read_text_file(arguments.subject);
  if (!arguments.name.empty()) request["name"] = arguments.name;
  if (!arguments.profile.empty()) request["costs"] = read_text_file(arguments.profile);
  const auto wait_for_answer = [&] {
    const LateLine line("measuring the tasks and starting the ranks");
    return successful_answer(arguments, "POST", "/v1/streams", request.dump());
  };
  const json answer = wait_for_answer();
  std::vector<std::size_t> processors = answer.at("processors");
  return show_answer(answer, arguments,
                     fmt::format("{} runs on processor{} {}: {} required, {} predicted\n",
                                 answer.at("name").get<std::string>(), processors.size() == 1 ? "" : "s",
                                 fmt::join(processors, ", "), rate_text(answer.at("required_hz")),
                                 rate_text(answer.at("promised_hz"))));
}

int drop_stream(const AskArguments& arguments) {
  const json answer =
      successful_answer(arguments, "DELETE", "/v1/streams/" + pipeline::encoded(arguments.subject));
  return show_answer(answer, arguments, fmt::format("{} is gone\n", answer.at("name").get<std::string>()));
}

int list_streams(const AskArguments& arguments) {
  const json answer = successful_answer(arguments, "GET", "/v1/streams");
  TextTable table({{"stream"},
                   {"state"},
                   {"required", true},
                   {"reserved", true},
                   {"sustained", true},
                   {"delivered", true},
                   {.name = "processors", .is_prose = true}});
  std::string failures;
  for (const json& stream : answer.at("streams")) {
    const std::string name = stream.at("name");
    const auto at = [&](const char* key) { return stream.contains(key) ? stream[key] : json(nullptr); };
    const std::vector<std::string> silent = stream.value("silent", std::vector<std::string>());
    for (const std::string& rank : silent)
      failures += '\n' + fill(fmt::format("'{}': {}", name, rank), text_columns) + '\n';
    table.add(
        {name, silent.empty() ? stream.at("state").get<std::string>() : "silent",
         rate_text(at("required_hz")), rate_text(at("promised_hz")), rate_text(at("sustained_hz")),
         at("delivered").is_number() ? fmt::format("{}", stream["delivered"].get<std::uint64_t>()) : "-",
         stream.contains("processors")
             ? fmt::format("{}", fmt::join(stream["processors"].get<std::vector<std::size_t>>(), ", "))
             : "-"});
    if (at("failure").is_string())
      failures += '\n' +
                  fill(fmt::format("'{}' {}: {}", name, stream.at("state") == "waiting" ? "waits" : "failed",
                                   stream["failure"].get<std::string>()),
                       text_columns) +
                  '\n';
  }
  const bool is_empty = answer.at("streams").empty();
  return show_answer(answer, arguments, is_empty ? "no streams\n" : table.to_text() + failures);
}

int show_logs(const AskArguments& arguments) {
  const json answer =
      successful_answer(arguments, "GET", "/v1/streams/" + pipeline::encoded(arguments.subject) + "/log");
  return show_answer(answer, arguments, answer.at("log"));
}

int show_status(const AskArguments& arguments) {
  const json answer = successful_answer(arguments, "GET", "/v1/status");
  TextTable table({{"processor", true}, {"host", false}, {"core", true}, {"given", true}});
  for (const json& each : answer.at("load"))
    table.add(
        {fmt::format("{}", each.at("processor").get<std::size_t>()),
         each.at("host").is_string() ? each["host"].get<std::string>() : "-",
         each.at("core").is_number() ? fmt::format("{}", each["core"].get<std::size_t>()) : "-",
         each.value("lost", false) ? "lost" : fmt::format("{:.1f} %", 100 * each.at("load").get<double>())});
  const auto streams = answer.at("streams").get<std::size_t>();
  return show_answer(answer, arguments,
                     fmt::format("pid {}, {} stream{}\n\n{}", answer.at("pid").get<std::int64_t>(), streams,
                                 streams == 1 ? "" : "s", table.to_text()));
}

/// Adds the common options.
std::shared_ptr<AskArguments> declare_ask(Command& command, int (*act)(const AskArguments&)) {
  auto arguments = std::make_shared<AskArguments>();
  add_contact_options(command, *arguments);
  add_format_option(command, arguments->format, {"text", "json"});
  command.note(
      "Exit code: 0 done, 1 refused, not started, or no answer from a service, 2 the pipeline, the name, the "
      "token or an option is wrong.");
  command.does([arguments, act] { return act(*arguments); });
  return arguments;
}

}  // namespace

void declare_add(Command& command) {
  auto arguments = declare_ask(command, add_stream);
  command.add("pipeline", arguments->subject, "The pipeline's YAML file").value("PIPELINE").required();
  command.add("--name", arguments->name, "Name of the stream; default: the pipeline's name").value("NAME");
  command.add("--profile", arguments->profile, "Costs of the tasks, from takt profile; default: measure them")
      .value("FILE");
  command.flag("--overwrite", arguments->overwrites, "Let its sinks replace existing files");
  command.note(
      "The service admits the stream next to the running ones, which do not move, or refuses it with the "
      "reason and the nearest rate that fits. The command returns when the ranks process frames.");
  command.example("takt add configs/watch.yaml");
}

void declare_drop(Command& command) {
  auto arguments = declare_ask(command, drop_stream);
  command.add("name", arguments->subject, "The stream").value("NAME").required();
  command.note("The service delivers the ingested frames of the stream, then frees its processors.");
  command.example("takt drop watch");
}

void declare_ps(Command& command) {
  (void)declare_ask(command, list_streams);
  command.example("takt ps --format json");
}

void declare_logs(Command& command) {
  auto arguments = declare_ask(command, show_logs);
  command.add("name", arguments->subject, "The stream").value("NAME").required();
  command.example("takt logs watch");
}

void declare_status(Command& command) {
  (void)declare_ask(command, show_status);
  command.example("takt status");
}

}  // namespace takt::cli
