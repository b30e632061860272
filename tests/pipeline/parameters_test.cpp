/// Tests which written values are accepted, and the errors of the others.

#include "pipeline/parameters.hpp"

#include <stdexcept>

#include <gmock/gmock.h>

namespace takt::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

const std::vector<ParameterSpec> specification{
    {.name = "channels",
     .type = ParameterType::integer,
     .help = "number of channels",
     .minimum = 2,
     .maximum = 64},
    {.name = "gain", .type = ParameterType::number, .fallback = "1"},
    {.name = "mode", .fallback = "I", .choices = {"I", "IQUV"}},
    {.name = "fast", .type = ParameterType::boolean, .fallback = "false"},
    {.name = "wait", .type = ParameterType::time, .fallback = "10 ms", .minimum = 1000},
    {.name = "buffer", .type = ParameterType::bytes, .fallback = "4 KiB", .maximum = 1 << 20},
    {.name = "rate", .type = ParameterType::frequency, .fallback = "50 Hz"},
    {.name = "lanes", .type = ParameterType::integers, .fallback = "1,2", .minimum = 0},
    {.name = "words", .type = ParameterType::texts, .fallback = ""},
    {.name = "file", .type = ParameterType::input_file, .fallback = "a.dat"},
    {.name = "out", .type = ParameterType::output_file, .fallback = "b.dat"},
};

struct Checked {
  std::vector<std::string> errors;
  Parameters parameters;
};

/// Parses values in separate lines, from line 2 on.
Checked check(const std::vector<std::pair<std::string, std::vector<std::string>>>& written) {
  std::map<std::string, Parameters::Value> values;
  int line = 2;
  for (const auto& [name, texts] : written) {
    values[name] = {texts, texts.size() != 1, {"p.yaml", line, 10}, {"p.yaml", line, 5}};
    ++line;
  }
  ErrorList errors;
  Parameters parameters(specification, values, {"p.yaml", 1, 3}, errors, "task 'x'");
  return {errors.messages(), std::move(parameters)};
}

TEST(Parameters, are_read_as_declared) {
  const auto [errors, parameters] = check({{"channels", {"16"}},
                                           {"gain", {"-2.5e3"}},
                                           {"mode", {"IQUV"}},
                                           {"fast", {"true"}},
                                           {"wait", {"1.5 ms"}},
                                           {"buffer", {"64 KiB"}},
                                           {"rate", {"2.4 kHz"}},
                                           {"lanes", {"7", "10..13", "0"}},
                                           {"words", {"a", "b c"}},
                                           {"file", {"x.dat"}}});
  EXPECT_THAT(errors, IsEmpty());
  EXPECT_EQ(parameters.integer("channels"), 16);
  EXPECT_EQ(parameters.number("gain"), -2500);
  EXPECT_EQ(parameters.text("mode"), "IQUV");
  EXPECT_TRUE(parameters.boolean("fast"));
  EXPECT_EQ(parameters.time("wait"), Time{1'500'000});
  EXPECT_EQ(parameters.bytes("buffer"), Bytes{65536});
  EXPECT_EQ(parameters.frequency("rate"), Frequency{2400});
  EXPECT_THAT(parameters.integers("lanes"), ElementsAre(7, 10, 11, 12, 13, 0));
  EXPECT_THAT(parameters.texts("words"), ElementsAre("a", "b c"));
  EXPECT_EQ(parameters.text("file"), "x.dat");
  EXPECT_EQ(parameters.where("gain").to_string(), "p.yaml:3:10");
}

TEST(Parameters, have_default_values) {
  const auto [errors, parameters] = check({{"channels", {"2"}}});
  EXPECT_THAT(errors, IsEmpty());
  EXPECT_EQ(parameters.time("wait"), Time{10'000'000});
  EXPECT_THAT(parameters.integers("lanes"), ElementsAre(1, 2));
  EXPECT_THAT(parameters.texts("words"), IsEmpty());
  EXPECT_FALSE(parameters.boolean("fast"));
  EXPECT_EQ(parameters.where("wait").to_string(), "p.yaml:1:3");
}

TEST(Parameters, accept_one_value_as_a_list_of_one) {
  const auto [errors, parameters] = check({{"channels", {"2"}}, {"lanes", {"5"}}});
  EXPECT_THAT(errors, IsEmpty());
  EXPECT_THAT(parameters.integers("lanes"), ElementsAre(5));
}

TEST(Parameters, report_every_error_at_its_position) {
  const auto [errors, parameters] = check({{"chanels", {"16"}},
                                           {"gain", {"loud"}},
                                           {"mode", {"IQ"}},
                                           {"fast", {"yes"}},
                                           {"wait", {"10 ns"}},
                                           {"buffer", {"1 GiB"}},
                                           {"rate", {"-3 Hz"}},
                                           {"lanes", {"1", "-1"}},
                                           {"file", {""}}});
  EXPECT_THAT(
      errors,
      ElementsAre(
          "p.yaml:1:3: task 'x': parameter 'channels' is missing: number of channels (integer)",
          "p.yaml:2:5: task 'x': unknown parameter 'chanels'; did you mean 'channels'? (known: channels gain "
          "mode fast wait buffer rate lanes words file out)",
          "p.yaml:3:10: task 'x': parameter 'gain': 'loud' is not a number",
          "p.yaml:4:10: task 'x': parameter 'mode': unknown value 'IQ'; did you mean 'I'? (known: I IQUV)",
          "p.yaml:5:10: task 'x': parameter 'fast': 'yes' is not a boolean: expected true or false",
          "p.yaml:6:10: task 'x': parameter 'wait': 10 ns is out of range: expected 1 us or more",
          "p.yaml:7:10: task 'x': parameter 'buffer': 1 GiB is out of range: expected 1 MiB or less",
          "p.yaml:8:10: task 'x': parameter 'rate': '-3 Hz' is not a frequency: expected a number that is "
          "not "
          "negative, then one of Hz kHz MHz GHz",
          "p.yaml:9:10: task 'x': parameter 'lanes': -1 is out of range: expected 0 or more",
          "p.yaml:10:10: task 'x': parameter 'file': expected the name of a file, not an empty text"));
}

TEST(Parameters, refuse_invalid_numbers) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "'' is not an integer"},
           {"1.5", "'1.5' is not an integer"},
           {"12 Hz", "'12 Hz' is not an integer"},
           {"99999999999999999999", "'99999999999999999999' is too large"},
           {"65", "65 is out of range: expected 64 or less"}})
    EXPECT_THAT(check({{"channels", {text}}}).errors,
                ElementsAre("p.yaml:2:10: task 'x': parameter 'channels': " + message));
  for (const std::string text : {"nan", "inf", "1e999", "1,5"})
    EXPECT_EQ(check({{"channels", {"2"}}, {"gain", {text}}}).errors.size(), 1U) << text;
}

TEST(Parameters, refuse_lists_instead_of_one_value) {
  EXPECT_THAT(
      check({{"channels", {"2", "4"}}}).errors,
      ElementsAre("p.yaml:2:10: task 'x': parameter 'channels': expected one value (integer), not a list"));
}

TEST(Parameters, refuse_invalid_ranges) {
  for (const std::string text :
       {"5..3", "1..", "..4", "1...4", "0..99999999", "-9223372036854775808..9223372036854775807"})
    EXPECT_EQ(check({{"channels", {"2"}}, {"lanes", {text}}}).errors.size(), 1U) << text;
}

TEST(Parameters, detect_bugs_of_their_readers) {
  const auto [errors, parameters] = check({{"channels", {"2"}}});
  EXPECT_THROW((void)parameters.integer("chanels"), std::logic_error);
  EXPECT_THAT([&] { (void)parameters.number("channels"); },
              ThrowsMessage<std::logic_error>("parameter 'channels' was declared as integer, not number"));
}

TEST(Parameters, refuse_at_the_position_of_the_value) {
  const auto [errors, parameters] = check({{"channels", {"6"}}});
  EXPECT_THAT([&] { parameters.refuse("channels", "6 does not suit"); },
              ThrowsMessage<ConfigError>("p.yaml:2:10: task 'x': parameter 'channels': 6 does not suit"));
  EXPECT_THAT([&] { parameters.refuse("it does not fit"); },
              ThrowsMessage<ConfigError>("p.yaml:1:3: task 'x': it does not fit"));
}

TEST(Parameters, can_redirect_their_output_files) {
  const Parameters moved = check({{"channels", {"2"}}}).parameters.with_output_file("elsewhere.raw");
  EXPECT_EQ(moved.text("out"), "elsewhere.raw");
  EXPECT_EQ(moved.text("file"), "a.dat");
}

}  // namespace
}  // namespace takt::pipeline
