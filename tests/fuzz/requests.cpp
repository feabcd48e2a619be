#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include <fuzz/targets.hpp>
#include <talus/view/record_source.hpp>
#include <talus/view/server.hpp>

namespace talus::fuzz {
namespace {

/// The viewer's server with a small record, in a thread of its own.
class Server {
 public:
  Server()
      : source_(TALUS_SOURCE_DIR "/tests/fuzz/corpus/record/balls.h5"),
        server_(source_, "<html></html>", {"127.0.0.1", 0, ""}) {
    port_ = server_.bind();
    std::thread([this] { server_.run(); }).detach();
  }

  void ask(Bytes bytes) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      // The path is what is tried; the rest is as a browser sends it.
      std::string text = "GET /";
      for (const std::uint8_t byte : bytes)
        if (byte != '\n' && byte != '\r' && byte != ' ') text += static_cast<char>(byte);
      text +=
          " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\nConnection: close\r\n\r\n";
      static_cast<void>(::send(socket, text.data(), text.size(), MSG_NOSIGNAL));
      char answer[4096];
      while (::recv(socket, answer, sizeof answer, 0) > 0) {
      }
    }
    ::close(socket);
  }

 private:
  view::RecordSource source_;
  view::Server server_;
  int port_ = 0;
};

}  // namespace

void request(Bytes bytes) {
  static const auto* server = new Server;  // its thread never ends
  server->ask(bytes);
}

}  // namespace talus::fuzz
