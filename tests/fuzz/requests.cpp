#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <memory>
#include <string>
#include <thread>

#include <fuzz/targets.hpp>
#include <talus/view/record_source.hpp>
#include <talus/view/server.hpp>

namespace talus::fuzz {
namespace {

/// A connection that stays open from one request to the next, as a browser's does: with one for
/// each the system would run out of ports after some ten thousand.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const linger at_once{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bool is_open() const { return is_open_; }

  /// Sends a request and takes the whole answer.
  void ask(const std::string& text) {
    is_open_ = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) >= 0;
    std::string answer;
    std::size_t expected = std::string::npos;  // known when the head is there
    char piece[1 << 16];
    while (is_open_ && answer.size() < expected) {
      const ssize_t size = ::recv(socket_, piece, sizeof piece, 0);
      if (size <= 0) {
        is_open_ = false;
        break;
      }
      answer.append(piece, static_cast<std::size_t>(size));
      const std::size_t end = answer.find("\r\n\r\n");
      if (expected == std::string::npos && end != std::string::npos)
        expected = end + 4 + content_length(answer.substr(0, end));
    }
    if (answer.find("\r\nConnection: close") < expected) is_open_ = false;
  }

 private:
  static std::size_t content_length(const std::string& head) {
    constexpr std::string_view kName = "\r\nContent-Length: ";
    std::size_t length = 0;
    if (const std::size_t at = head.find(kName); at != std::string::npos)
      std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), length);
    return length;
  }

  int socket_;
  bool is_open_ = false;
};

/// The viewer's server with a small record, in a thread of its own.
class Server {
 public:
  Server()
      : source_(TALUS_SOURCE_DIR "/tests/fuzz/corpus/record/balls.h5"),
        server_(source_, "<html></html>", {"127.0.0.1", 0, ""}) {
    port_ = server_.bind();
    std::thread([this] { server_.run(); }).detach();
  }

  /// The path is what is tried; the rest is as a browser sends it.
  void ask(Bytes bytes) {
    std::string text = "GET /";
    for (const std::uint8_t byte : bytes)
      if (byte != '\n' && byte != '\r' && byte != ' ') text += static_cast<char>(byte);
    text += " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n";
    if (!connection_ || !connection_->is_open()) connection_ = std::make_unique<Connection>(port_);
    connection_->ask(text);
  }

 private:
  view::RecordSource source_;
  view::Server server_;
  int port_ = 0;
  std::unique_ptr<Connection> connection_;
};

}  // namespace

void request(Bytes bytes) {
  static auto* server = new Server;  // its thread never ends
  server->ask(bytes);
}

}  // namespace talus::fuzz
