#include "pipeline/service/client.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/live/http_server.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr const char* token_name = "token";
constexpr const char* address_name = "address";
/// Locked while a service starts.
constexpr const char* starting_name = "starting";

bool is_starting(const fs::path& folder) {
  const int file = ::open((folder / starting_name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_locked = ::flock(file, LOCK_EX | LOCK_NB) != 0;
  ::close(file);
  return is_locked;
}

std::string first_line(const fs::path& file) {
  const std::string text = read_text_file(file);
  return text.substr(0, text.find('\n'));
}

}  // namespace

fs::path usual_service_folder() {
  if (const char* folder = std::getenv("XDG_STATE_HOME"); folder != nullptr && *folder != '\0')
    return fs::path(folder) / "takt" / "service";
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/") / ".local" / "state" / "takt" / "service";
}

std::string own_token(const fs::path& folder) {
  const fs::path file = folder / token_name;
  if (fs::exists(file)) return first_line(file);
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw WorkError("cannot make a token: no random numbers");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  // Created with permissions for this user only.
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const std::string text = token + '\n';
  const bool is_written =
      descriptor >= 0 && ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (descriptor >= 0) ::close(descriptor);
  if (!is_written) throw WorkError(fmt::format("cannot write the token to {}", file.string()));
  return token;
}

void write_address(const fs::path& folder, const std::string& address) {
  write_text_file(folder / address_name, address + '\n');
}

StartingMark::StartingMark(const fs::path& folder)
    : file_(::open((folder / starting_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (file_ >= 0) ::flock(file_, LOCK_SH);
}

StartingMark::~StartingMark() {
  if (file_ >= 0) ::close(file_);
}

ServiceContact read_contact(const fs::path& folder) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds moment{1};
  const auto is_there = [&] { return fs::exists(folder / address_name) && fs::exists(folder / token_name); };
  const auto begin = Clock::now();
  while (is_starting(folder) || (!is_there() && Clock::now() - begin < moment))
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  if (!is_there())
    throw WorkError(
        fmt::format("no service runs on {}: start one with takt serve, or name its folder with --folder",
                    folder.string()));
  return {first_line(folder / address_name), first_line(folder / token_name)};
}

ServiceAnswer ask(const ServiceContact& contact, const std::string& method, const std::string& target,
                  const std::string& body) {
  namespace http = boost::beast::http;
  using boost::asio::ip::tcp;
  const HttpAddress address = parse_http_address(contact.address);
  boost::asio::io_context context;
  boost::beast::tcp_stream stream(context);
  boost::system::error_code error;
  stream.connect(tcp::endpoint(boost::asio::ip::make_address(address.host), address.port), error);
  if (error)
    throw WorkError(fmt::format("no answer from the service at {} ({}): is it running? takt serve starts one",
                                contact.address, error.message()));
  // Adding and dropping have no time limit.
  if (method == "GET") {
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
      ::setsockopt(stream.socket().native_handle(), SOL_SOCKET, option, &patience, sizeof(patience));
  }
  http::request<http::string_body> request(http::string_to_verb(method), target, 11);
  request.set(http::field::host, contact.address);
  request.set(http::field::authorization, "Bearer " + contact.token);
  request.set(http::field::content_type, "application/json");
  request.body() = body;
  request.prepare_payload();
  http::write(stream, request, error);
  boost::beast::flat_buffer buffer;
  http::response<http::string_body> response;
  if (!error) http::read(stream, buffer, response, error);
  if (error)
    throw WorkError(fmt::format("the service at {} did not answer: {}", contact.address, error.message()));
  return {response.result_int(), response.body()};
}

std::string encoded(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    result += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

}  // namespace takt::pipeline
