#pragma once
/// The syntax of trace formats: Chrome and Perfetto, Paje.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace takt::pipeline {

/// Trace events of Chrome and Perfetto in one JSON object.
class ChromeTraceText {
 public:
  /// `event`: an object in JSON.
  void add(const std::string& event);
  void name_process(std::size_t process, const std::string& name);
  /// Numbers of threads are unique over the file.
  void name_thread(std::size_t process, std::size_t thread, const std::string& name);
  [[nodiscard]] std::string finish() const { return text_ + "\n]}\n"; }

 private:
  std::string text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  std::string_view separator_;
};

[[nodiscard]] std::string quoted_json(const std::string& text);
/// As the trace event format has it, with three decimals.
[[nodiscard]] std::string microseconds_text(std::int64_t ns);
/// As Paje has it, with nine decimals.
[[nodiscard]] std::string seconds_text(std::int64_t ns);
/// Paje's texts have quotes around them and none inside, and stand on one line.
[[nodiscard]] std::string quoted_paje(std::string text);

/// Definitions of events: 0 container type, 1 state type, 2 link type, 3 value, 4 and 5 containers, 6 and 7
/// states, 8 and 9 links.
inline constexpr std::string_view paje_header = R"(%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 4
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajePushState 6
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 7
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeStartLink 8
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
%EndEventDef
%EventDef PajeEndLink 9
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
)";

/// The palette, as shares of red, green and blue.
inline constexpr std::string_view paje_colours[] = {"0.00 0.45 0.70", "0.84 0.37 0.00", "0.00 0.62 0.45",
                                                    "0.80 0.47 0.65", "0.90 0.62 0.00", "0.34 0.71 0.91",
                                                    "0.48 0.29 0.16"};

}  // namespace takt::pipeline
