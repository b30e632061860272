#include "pipeline/report/trace_text.hpp"

#include <fmt/format.h>

#include "core/formats/json.hpp"

namespace takt::pipeline {

std::string quoted_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void ChromeTraceText::add(const std::string& event) {
  text_ += separator_;
  text_ += event;
  separator_ = ",\n";
}

void ChromeTraceText::name_process(std::size_t process, const std::string& name) {
  add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", process,
                  quoted_json(name)));
}

void ChromeTraceText::name_thread(std::size_t process, std::size_t thread, const std::string& name) {
  add(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process,
                  thread, quoted_json(name)));
}

std::string microseconds_text(std::int64_t ns) {
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

std::string seconds_text(std::int64_t ns) {
  constexpr std::int64_t second = 1'000'000'000;
  return fmt::format("{}.{:09}", ns / second, ns % second);
}

std::string quoted_paje(std::string text) {
  for (char& letter : text)
    if (letter == '"' || letter == '\n' || letter == '\\') letter = '\'';
  return '"' + text + '"';
}

}  // namespace takt::pipeline
