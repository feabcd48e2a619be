#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <talus/base/error.hpp>
#include <talus/cli/child_process.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/robot_options.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/files/file_names.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/files/temporary_folder.hpp>
#include <talus/record/reader.hpp>
#include <talus/record/recorder.hpp>
#include <talus/scene/scene.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/view/page.hpp>
#include <talus/view/server.hpp>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kViewExamples = R"(Examples:
  talus view out.h5                          prints an address: open it in a browser
  talus view out.h5 --open                   and opens the browser
  talus view examples/four_balls             runs the scene and shows it live
  talus view running.h5                      follows a run of another process
  talus view a.h5 b.h5                       side by side, at the same time and from the same place
  talus view out.h5 --export page.html       one file that opens from disk and can be sent by mail
  talus view out.h5 --host 0.0.0.0           for other machines: the address has a token in it

Nothing is installed or sent anywhere: the page comes from this program, and it reads the record as you
look. Ctrl-C ends the server; the record of a scene goes with it, unless -o names a file.)";

constexpr int kUsualPort = 8650;
constexpr int kPortsTried = 50;  ///< from the usual one on

struct ViewOptions {
  std::string file;
  std::vector<std::string> others;  ///< records to show beside it
  std::string host = "127.0.0.1";
  int port = kUsualPort;
  bool has_port = false;
  bool opens_browser = false;
  std::string page;  ///< to export
  Index every = 1;
  std::string output;  ///< record of a scene
  std::vector<std::string> settings;
  RobotOptions robots;
  double until = 0;
  bool has_until = false;
  bool is_for_scenes = false;  ///< whether an option was given that only a scene can take
};

void open_browser(const std::string& address) {
  const std::string opener = find_program({"xdg-open", "wslview", "open"});
  if (opener.empty()) {
    fmt::print(stderr, "talus: found no program that opens a browser: open the address by hand\n");
    return;
  }
  ChildProcess(std::vector<std::string>{opener, address}, ChildProcess::Output::discard).wait();
}

/// A run of the scene in a process of its own: HDF5 is not made for threads, and the run may end
/// before the page does. The same program, so the same results as talus run.
std::unique_ptr<ChildProcess> start_live_run(const ViewOptions& options, const fs::path& record) {
  std::vector<std::string> words = {fs::read_symlink("/proc/self/exe").string(),
                                    "run",
                                    options.file,
                                    "--quiet",
                                    "--steered",
                                    "--flush-every",
                                    "0.25",
                                    "-o",
                                    record.string()};
  for (const std::string& setting : options.settings) {
    words.emplace_back("--set");
    words.push_back(setting);
  }
  const std::vector<std::string> of_robots = words_of(options.robots);
  words.insert(words.end(), of_robots.begin(), of_robots.end());
  if (options.has_until) {
    words.emplace_back("--until");
    words.push_back(fmt::format("{}", options.until));
  }
  return std::make_unique<ChildProcess>(words, ChildProcess::Output::keep, SIGINT);
}

/// Waits until the run has made its record, in place of an earlier one of that name. @throws
/// InputError with what the run says, if it ends before.
void wait_for_record(ChildProcess& run, const fs::path& record, const files::FilePin& earlier) {
  std::error_code ignored;
  const auto is_there = [&] { return fs::exists(record, ignored) && !earlier.is_at(record); };
  while (!is_there()) {
    if (run.poll() && !is_there()) {
      std::string text = run.printed();
      while (text.ends_with('\n')) text.pop_back();
      throw file_error(record.string(), "the run made no record: " + text);
    }
    if (InterruptGuard::is_interrupted()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// A server at the port that was asked for, or at the first one from the usual on that is free.
std::unique_ptr<view::Server> make_server(view::RecordSource& source, const std::string& page,
                                          const ViewOptions& options) {
  const std::string token = view::is_loopback(options.host) ? "" : view::make_token();
  const auto at = [&](int port) {
    auto server = std::make_unique<view::Server>(source, page,
                                                 view::ServerOptions{options.host, port, token});
    server->bind();
    return server;
  };
  if (options.has_port) return at(options.port);
  for (int port = options.port; port < options.port + kPortsTried; ++port) try {
      auto server = at(port);
      if (port != options.port)
        fmt::print(stderr, "talus: port {} is in use: serving at {}\n", options.port, port);
      return server;
    } catch (const InputError&) {
      // another program listens there
    }
  return at(0);
}

int serve(const ViewOptions& options, const fs::path& record, ChildProcess* run,
          const std::string& page) {
  view::RecordSource source(record);
  std::vector<std::unique_ptr<view::RecordSource>> others;
  for (const std::string& other : options.others)
    others.push_back(std::make_unique<view::RecordSource>(other));
  const std::unique_ptr<view::Server> server = make_server(source, page, options);
  for (const auto& other : others) server->add_record(*other);
  if (run != nullptr)
    server->set_steering([run](const std::string& line) {
      try {
        run->write(line + '\n');
      } catch (const std::runtime_error&) {
        // it has just ended
      }
    });
  fmt::print("{}\n", server->address());
  if (std::fflush(stdout) != 0) return kInputError;  // the page could not be found
  if (run != nullptr)
    fmt::print(stderr, "talus: running {}; the record is {}\n", options.file, record.string());
  fmt::print(stderr, "talus: serving {} until Ctrl-C\n", record.string());
  std::thread thread([&] { server->run(); });
  if (options.opens_browser) open_browser(server->address());
  bool was_running = run != nullptr;
  while (!InterruptGuard::is_interrupted()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!was_running || !run->poll()) continue;
    was_running = false;
    const int code = run->wait();
    fmt::print(stderr, "talus: the run has ended{}; still serving\n",
               code == 0 ? "" : fmt::format(" with exit code {}\n{}", code, run->printed()));
  }
  server->stop();
  thread.join();
  return kDone;
}

int view_file(ViewOptions options) {
  if (options.host.empty())
    throw usage_error("--host", "expected an address to listen on, got \"\"",
                      "127.0.0.1 for this machine, 0.0.0.0 for others too");
  const fs::path path = options.file;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) throw file_error(path.string(), "there is no such file");
  const bool is_hdf5 =
      !fs::is_directory(path, ignored) && record::kind_of(path) != record::FileKind::not_hdf5;
  const bool is_named_record = path.extension() == ".h5" || path.extension() == ".hdf5";
  if (!is_hdf5 && is_named_record) record::demand_hdf5(path);
  if (is_hdf5 && options.is_for_scenes)
    throw usage_error("talus view", options.file + " is a record",
                      "-o, --set, --package, --keyframe and --until are of scenes");
  if (!options.page.empty()) files::refuse_to_destroy(options.page, files::page_kind());
  if (files::is_same_file(options.page, options.output))
    throw usage_error("--export", options.page + " is the record of this run",
                      "give the page another name");
  const std::string page = view::load_page();
  const InterruptGuard guard;
  fs::path record = path;
  std::optional<files::TemporaryFolder> folder;  // outlives the run
  std::unique_ptr<ChildProcess> run;
  if (!is_hdf5) {
    // Mistakes are said here, before anything starts.
    static_cast<void>(scene::load(options.file, overrides_of(options.robots)));
    if (options.output.empty()) folder.emplace("talus-view");
    record = folder ? folder->path() / (sim::default_name(options.file) + ".h5")
                    : fs::path(options.output);
    files::refuse_to_destroy(record, record::record_kind());
    const files::FilePin earlier(record);
    run = start_live_run(options, record);
    wait_for_record(*run, record, earlier);
    if (InterruptGuard::is_interrupted()) return kInterrupted;
  } else {
    static_cast<void>(record::RecordReader(path).frame_count());  // says what is wrong with it
  }
  for (const std::string& other : options.others)
    static_cast<void>(record::RecordReader(other).frame_count());
  if (options.page.empty()) return serve(options, record, run.get(), page);
  if (run) {
    const int code = run->wait();
    if (code != kDone) fmt::print(stderr, "{}", run->printed());
  }
  const std::size_t bytes = view::export_page(record, options.page, page, options.every);
  fmt::print(stderr, "talus: wrote {} ({:.1f} MB)\n", options.page,
             static_cast<double>(bytes) / 1e6);
  return kDone;
}

}  // namespace

void add_view(Verb program) {
  auto options = std::make_shared<ViewOptions>();
  Verb verb = program.add_verb("view", "Shows a record, or a scene as it runs, in a browser");
  verb.footer(kViewExamples);
  verb.add_option("file", options->file, "Record, scene file, or folder with scene.yaml")
      .required();
  const Option others = verb.add_option("others", options->others,
                                        "Further records, shown side by side at the same time");
  const Option port =
      verb.add_option("-p,--port", options->port,
                      "Port to listen on, 0: any that is free; otherwise the first free one from")
          .in_range(0, 65535)
          .with_default();
  verb.add_option("--host", options->host,
                  "Address to listen on; with any but this machine's own, a token is asked for")
      .with_default();
  verb.add_flag("--open", options->opens_browser, "Open the browser");
  const Option page = verb.add_option("--export", options->page,
                                      "Write one HTML file with the record in it; no server")
                          .excludes(others);
  verb.add_option("--every", options->every, "With --export: one of so many frames")
      .positive()
      .needs(page);
  const Option output =
      verb.add_option("-o,--output", options->output,
                      "Of a scene: record to keep; otherwise it goes when the view ends");
  const Option settings =
      verb.add_option("--set", options->settings, "Of a scene: PATH=VALUE, as talus run")
          .one_word_each();
  add_robot_options(verb, options->robots);
  const Option until =
      verb.add_option("--until", options->until, "Of a scene: end time [s]").in_seconds();
  verb.action([options, port, output, settings, until] {
    options->has_port = port.is_given();
    options->has_until = until.is_given();
    options->is_for_scenes = output.is_given() || settings.is_given() || until.is_given() ||
                             !words_of(options->robots).empty();
    return view_file(*options);
  });
}

}  // namespace talus::cli
