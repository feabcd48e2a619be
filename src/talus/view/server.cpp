#include <talus/view/server.hpp>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include <talus/base/error.hpp>
#include <talus/json/json.hpp>
#include <talus/view/run_command.hpp>

namespace talus::view {
namespace {

using httplib::Request;
using httplib::Response;

/// A request that makes no sense, in words for the page.
struct BadRequest {
  std::string message;
};

void answer_error(Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_content(json_text({{"error", message}}), "application/json");
}

Index whole_number(const Request& request, const char* name, Index fallback) {
  if (!request.has_param(name)) return fallback;
  const std::string text = request.get_param_value(name);
  Index number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw BadRequest{fmt::format("'{}' is not a whole number: {}", name, text)};
  return number;
}

std::vector<std::string> values_of(const Request& request, const char* name) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < request.get_param_value_count(name); ++i)
    values.push_back(request.get_param_value(name, i));
  if (values.empty()) throw BadRequest{fmt::format("'{}' is missing", name)};
  return values;
}

/// The name in "name:port" or "[address]:port".
std::string host_name(const std::string& host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

/// Whether this machine can listen on an address at all, whatever the port.
bool is_own_address(const std::string& host) {
  return httplib::Server().bind_to_any_port(host) > 0;
}

/// The address by which other machines find this one, of all that it listens on; the host's own
/// text where it names one, or where this machine has no network.
std::string reachable(const std::string& host) {
  const int family = host == "0.0.0.0" ? AF_INET : host == "::" ? AF_INET6 : AF_UNSPEC;
  ifaddrs* all = nullptr;
  if (family == AF_UNSPEC || ::getifaddrs(&all) != 0) return host;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    const bool is_up = (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0;
    if (!is_up || each->ifa_addr == nullptr || each->ifa_addr->sa_family != family) continue;
    const void* address =
        family == AF_INET
            ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(each->ifa_addr)->sin_addr)
            : &reinterpret_cast<sockaddr_in6*>(each->ifa_addr)->sin6_addr;
    char text[INET6_ADDRSTRLEN] = "";
    if (::inet_ntop(family, address, text, sizeof text) == nullptr) continue;
    if (!std::string(text).starts_with("fe80")) return text;  // of one link only
  }
  return host;
}

/// Takes as long for every wrong token.
bool is_same(const std::string& given, const std::string& expected) {
  if (given.size() != expected.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(expected[i]);
  return difference == 0;
}

}  // namespace

struct Server::Impl {
  std::vector<RecordSource*> sources;
  std::string page;
  ServerOptions options;
  bool is_steered = false;  ///< the page is told, so that it shows the buttons
  std::function<std::string()> explanation;
  httplib::Server server;
  std::atomic<bool> has_begun = false, has_ended = false, is_stopped = false;

  /// An answer in JSON or binary; the mistakes of a request become its status.
  template <class Make>
  void get(const char* path, const char* type, const Make& make) {
    server.Get(path, [this, type, make](const Request& request, Response& response) {
      try {
        response.set_content(make(request), type);
      } catch (const BadRequest& error) {
        answer_error(response, 400, error.message);
      } catch (const AnotherRun& error) {
        answer_error(response, 409, error.what());
      } catch (const InputError& error) {
        const std::string why = explanation ? explanation() : "";
        answer_error(response, 404, why.empty() ? error.what() : why);
      }
    });
  }

  /// The record that a request is about.
  [[nodiscard]] RecordSource& source(const Request& request) const {
    const Index number = whole_number(request, "record", 0);
    if (number < 0 || number >= static_cast<Index>(sources.size()))
      throw BadRequest{fmt::format("there is no record {}", number)};
    return *sources[static_cast<std::size_t>(number)];
  }

  /// What the page has before any frame, with what the server adds to it.
  [[nodiscard]] std::string header(const Request& request) const {
    Json header = *parse_json(source(request).header());
    header["is_steered"] = is_steered && &source(request) == sources.front();
    Json names = Json::array();
    for (const RecordSource* each : sources) names.push_back(each->path().filename().string());
    header["records"] = names;
    return json_text(header);
  }

  [[nodiscard]] bool is_allowed(const Request& request, Response& response) const {
    if (options.token.empty()) {
      // Pages of other sites can send requests here, too; browsers say where these come from.
      const std::string host = request.get_header_value("Host");
      const std::string origin = request.get_header_value("Origin");
      const bool is_from_here = origin.empty() || origin == "http://" + host;
      if (is_loopback(host_name(host)) && is_from_here) return true;
      answer_error(response, 403, "this server answers requests for this machine only");
      return false;
    }
    if (is_same(request.get_param_value("token"), options.token)) return true;
    answer_error(response, 403,
                 "the token is missing or wrong: open the address that talus view printed");
    return false;
  }

  void lay_out() {
    server.set_default_headers({{"Cache-Control", "no-store"},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Resource-Policy", "same-origin"}});
    server.set_pre_routing_handler([this](const Request& request, Response& response) {
      return is_allowed(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                           : httplib::Server::HandlerResponse::Handled;
    });
    server.set_error_handler([](const Request&, Response& response) {
      if (response.body.empty()) answer_error(response, response.status, "there is nothing here");
    });
    server.set_exception_handler([](const Request&, Response& response, std::exception_ptr error) {
      try {
        std::rethrow_exception(std::move(error));
      } catch (const std::exception& e) {
        answer_error(response, 500, e.what());
      }
    });
    // So written, httplib does not compress them: that takes a second for the page, and nothing is
    // saved on one machine.
    const char *html = "Text/html; charset=utf-8", *json = "application/json; charset=utf-8";
    const char* binary = "application/octet-stream";
    get("/", html, [this](const Request&) { return page; });
    get("/api/header", json, [this](const Request& request) { return header(request); });
    get("/api/progress", json,
        [this](const Request& request) { return source(request).progress(); });
    get("/api/rows", binary, [this](const Request& request) {
      const std::string run = request.get_param_value("run");
      const std::string type = request.get_param_value("type");
      if (type != "f32" && type != "f64") throw BadRequest{"'type' is f32 or f64"};
      return source(request).rows(values_of(request, "path"), whole_number(request, "first", 0),
                                  whole_number(request, "count", -1),
                                  type == "f32" ? Number::float32 : Number::float64, run);
    });
    get("/api/series", binary, [this](const Request& request) {
      return source(request).series(values_of(request, "name"), request.get_param_value("run"));
    });
  }
};

Server::Server(RecordSource& source, std::string page, ServerOptions options)
    : impl_(new Impl{{&source}, std::move(page), std::move(options), false, {}, {}, {}, {}, {}}) {
  // A browser keeps half a dozen connections open, and each holds a thread.
  impl_->server.new_task_queue = [] { return new httplib::ThreadPool(32); };
  // httplib shares its port by default: a second server would answer every other request.
  impl_->server.set_socket_options([](auto socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  impl_->server.set_keep_alive_timeout(2);
  impl_->server.set_tcp_nodelay(true);
  impl_->server.set_keep_alive_max_count(1'000'000);
  impl_->server.set_payload_max_length(std::size_t(256) << 20);
  impl_->lay_out();
}

Server::~Server() = default;

void Server::add_record(RecordSource& source) { impl_->sources.push_back(&source); }

void Server::set_job(PictureJob job) {
  auto shared = std::make_shared<PictureJob>(std::move(job));
  impl_->get("/api/job", "application/json",
             [shared](const Request&) { return shared->description; });
  impl_->server.Post("/api/picture", [shared](const Request& request, Response& response) {
    try {
      shared->take_picture(static_cast<int>(whole_number(request, "index", 0)), request.body);
    } catch (const std::exception& error) {
      shared->fail(error.what());
      answer_error(response, 500, error.what());
    }
  });
  impl_->server.Post("/api/failure",
                     [shared](const Request& request, Response&) { shared->fail(request.body); });
}

void Server::set_steering(std::function<void(const std::string& line)> steer) {
  impl_->server.Post("/api/run", [steer](const Request& request, Response& response) {
    if (parse_run_command(request.body)) return steer(request.body);
    answer_error(response, 400,
                 "a run can be told pause, step, go, release, or pull BODY px py pz tx ty tz");
  });
  impl_->is_steered = true;
}

void Server::set_explanation(std::function<std::string()> explanation) {
  impl_->explanation = std::move(explanation);
}

int Server::bind() {
  ServerOptions& options = impl_->options;
  const int asked = options.port;
  bool is_bound = false;
  if (options.port == 0) {
    options.port = impl_->server.bind_to_any_port(options.host);
    is_bound = options.port > 0;
  } else {
    is_bound = impl_->server.bind_to_port(options.host, options.port);
  }
  if (!is_bound && (asked == 0 || !is_own_address(options.host)))
    throw InputError(
        Diagnostic{{"command line"},
                   "--host",
                   "this machine has no address " + options.host + " to listen on",
                   "",
                   "127.0.0.1 is for this machine alone, 0.0.0.0 for all its addresses"});
  if (!is_bound)
    throw InputError(
        Diagnostic{{"command line"},
                   "--port",
                   fmt::format("cannot listen on {}:{}", options.host, asked),
                   "",
                   "another program may use that port: choose one with --port, 0 for any"});
  return options.port;
}

std::string Server::address() const {
  const ServerOptions& options = impl_->options;
  const std::string host = reachable(options.host);
  const bool has_colon = host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/{}", has_colon ? "[" : "", host, has_colon ? "]" : "",
                     options.port, options.token.empty() ? "" : "?token=" + options.token);
}

void Server::run() {
  impl_->has_begun = true;
  if (!impl_->is_stopped) impl_->server.listen_after_bind();
  impl_->has_ended = true;
}

void Server::stop() {
  // httplib forgets what it is told between the beginning of run() and its first look at the port.
  impl_->is_stopped = true;
  while (impl_->has_begun && !impl_->has_ended && !impl_->server.is_running())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  impl_->server.stop();
}

std::string make_token() {
  std::random_device system;  // /dev/urandom or the processor: not the engine's random numbers
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", system());
  return token;
}

bool is_loopback(const std::string& host) {
  // "127.example.org" is a name like any other.
  in_addr address{};
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && ::inet_pton(AF_INET, host.c_str(), &address) == 1);
}

}  // namespace talus::view
