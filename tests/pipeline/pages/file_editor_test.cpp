/// Tests of the service that edits a file in a browser, by its HTTP answers.

#include "pipeline/pages/file_editor.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/pictures/page.hpp"
#include "core/system/text_file.hpp"
#include "tests/pipeline/live/http_client.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string raw(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Editing : public ::testing::Test {
 protected:
  Editing() {
    try {
      (void)live_page();
    } catch (const WorkError&) {
      has_pages_ = false;
    }
  }
  void SetUp() override {
    if (!has_pages_) GTEST_SKIP() << "takt was built without pages";
  }

  /// A page without views, unless the text begins with `bad`.
  FileEditor edit(const std::string& text) {
    file_ = folder_.file("a.txt", text);
    return FileEditor(file_,
                      [file = file_] {
                        if (read_text_file(file).starts_with("bad"))
                          throw ConfigError({file, 1, 3}, "expected better");
                        return page_json({.title = "shown", .says = "", .facts = {}, .views = {}});
                      },
                      {});
  }
  static std::string post(const FileEditor& editor, const std::string& path, const std::string& body,
                          const std::string& token, const std::string& more = "") {
    return test::ask(editor.port(),
                     fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: "
                                 "Bearer {}\r\n{}Content-Length: {}\r\n\r\n{}",
                                 path, token, more, body.size(), body));
  }
  static nlohmann::json state(const std::string& answer) {
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }
  static nlohmann::json read(const FileEditor& editor) {
    return state(post(editor, "/read", "", editor.token()));
  }
  static std::string save(const FileEditor& editor, const std::string& version, const std::string& text) {
    return post(editor, "/save", version + "\n" + text, editor.token());
  }

  test::TemporaryFolder folder_;
  std::string file_;
  bool has_pages_ = true;
};

TEST_F(Editing, shows_saves_and_reports_errors_with_their_places) {
  const FileEditor editor = edit("good\n");
  nlohmann::json now = read(editor);
  EXPECT_EQ(now["text"], "good\n");
  EXPECT_EQ(now["error"], "");
  EXPECT_EQ(now["page"]["title"], "shown");
  now = state(save(editor, now["version"], "bad \u00fc\n\n"));
  EXPECT_EQ(raw(file_), "bad \u00fc\n\n");
  EXPECT_EQ(now["error"], file_ + ":1:3: expected better");
  EXPECT_TRUE(now["page"].is_null());
  now = state(save(editor, now["version"], "good again"));
  EXPECT_EQ(now["page"]["title"], "shown");
  EXPECT_EQ(raw(file_), "good again");
}

TEST_F(Editing, refuses_to_overwrite_a_file_that_has_changed_meanwhile) {
  const FileEditor editor = edit("one\n");
  const std::string version = read(editor)["version"];
  std::ofstream(file_) << "another program's\n";
  EXPECT_THAT(save(editor, version, "mine\n"), HasSubstr("has changed on disk"));
  EXPECT_EQ(raw(file_), "another program's\n");
  std::filesystem::remove(file_);
  EXPECT_THAT(save(editor, version, "mine\n"), StartsWith("HTTP/1.1 409"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(Editing, needs_the_token_and_its_own_page) {
  const FileEditor editor = edit("secret\n");
  const std::string version = read(editor)["version"];
  for (const char* const path : {"/read", "/save", "/quit"}) {
    const std::string answer = post(editor, path, version + "\nx", std::string(32, '0'));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 401"));
    EXPECT_THAT(answer, ::testing::Not(HasSubstr("secret")));
    EXPECT_THAT(post(editor, path, version + "\nx", editor.token(), "Origin: http://evil.example\r\n"),
                StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(test::ask(editor.port(), test::get(path)), ::testing::Not(HasSubstr("secret")));
  }
  EXPECT_EQ(raw(file_), "secret\n");
  EXPECT_THAT(
      test::ask(editor.port(), "POST /save HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"),
      StartsWith("HTTP/1.1 413"));
}

TEST_F(Editing, keeps_line_ends_byte_order_mark_and_permissions) {
  const FileEditor editor = edit("\xef\xbb\xbfone\r\ntwo\r\n");
  std::filesystem::permissions(file_,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const nlohmann::json now = read(editor);
  EXPECT_EQ(now["text"], "one\ntwo\n");
  (void)state(save(editor, now["version"], "one\n\nthree"));
  EXPECT_EQ(raw(file_), "\xef\xbb\xbfone\r\n\r\nthree");
  EXPECT_EQ(std::filesystem::status(file_).permissions() & std::filesystem::perms::group_all,
            std::filesystem::perms::none);
}

TEST_F(Editing, refuses_files_that_a_browser_would_change) {
  const auto error_of = [&](const std::string& text) -> std::string {
    try {
      (void)edit(text).port();
      return "";
    } catch (const ConfigError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(error_of("caf\xe9\n"), HasSubstr("a.txt: is not UTF-8"));
  EXPECT_THAT(error_of("one\r\ntwo\n"), HasSubstr("a.txt: has Windows line ends in some lines only"));
  EXPECT_THAT(error_of("one\rtwo\n"), HasSubstr("Windows line ends"));
  EXPECT_THAT(error_of(std::string(FileEditor::most_text + 1, 'x')), HasSubstr("a.txt: has 1048577 bytes"));
}

TEST_F(Editing, creates_a_file) {
  const std::string name = folder_ / "new.txt";
  const FileEditor editor(
      name, [] { return page_json({.title = "new", .says = "", .facts = {}, .views = {}}); }, {});
  nlohmann::json now = read(editor);
  EXPECT_EQ(now["version"], "");
  EXPECT_THAT(now["error"].get<std::string>(), HasSubstr("does not exist yet"));
  now = state(save(editor, "", "text\n"));
  EXPECT_EQ(now["page"]["title"], "new");
  EXPECT_EQ(raw(name), "text\n");
  // A second page did not know of it.
  EXPECT_THAT(save(editor, "", "other\n"), StartsWith("HTTP/1.1 409"));
}

TEST_F(Editing, announces_what_other_programs_write_and_ends_when_asked) {
  FileEditor editor = edit("one\n");
  std::thread serving([&] { editor.serve(); });
  std::string heard;
  std::atomic<bool> has_received = false;
  std::thread listening([&] {
    heard = test::ask(editor.port(), test::get("/events"), "data: ");
    has_received = true;
  });
  // A change before the listener is there has no listener: further ones follow.
  for (std::size_t i = 1; !has_received; ++i) {
    std::ofstream(file_) << std::string(i, 'y');
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  listening.join();
  EXPECT_THAT(heard, HasSubstr("data: "));
  EXPECT_THAT(post(editor, "/quit", "", editor.token()), StartsWith("HTTP/1.1 202"));
  serving.join();
}

}  // namespace
}  // namespace takt::pipeline
