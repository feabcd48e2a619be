#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/cli/candidates.hpp>
#include <talus/cli/child_process.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/files/temporary_folder.hpp>
#include <talus/json/json.hpp>
#include <talus/record/reader.hpp>
#include <talus/view/page.hpp>
#include <talus/view/server.hpp>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kRenderExamples = R"(Examples:
  talus render out.h5 -o end.png                         the last frame
  talus render out.h5 --time 0.4 --show forces -o push.png
  talus render out.h5 --frames 0:200 --colour speed -o fall.mp4
  talus render out.h5 --frames 0:200 --speed 0.1 -o slow.mp4     ten times slower than it is
  talus render out.h5 --frames 0:200:50 -o fall.png      fall_0000.png, fall_0001.png, …
  talus render out.h5 --link 'cam=1,-2,1,0,0,0,1&colour=speed' -o same.png

The pictures are those of talus view, drawn by Chromium without a window and without a graphics
processor. A link is what talus view shows after # in its address.)";

constexpr std::chrono::seconds kPatience{180};  ///< for one picture
constexpr Index kMostPictures = 1'000'000;      ///< of a film: nine hours

struct RenderOptions {
  std::string record, output, frames, size = "1280x800", theme = "light", side, link;
  std::string colour, show, bodies, walls;
  std::optional<double> time, speed;
  bool is_plain = false;
  int rate = 30;
};

/// FIRST:LAST or FIRST:LAST:EVERY.
std::vector<Index> frames_of(const std::string& text, Index count) {
  Index first = 0, last = 0, every = 1;
  char rest = 0;
  const int found = std::sscanf(text.c_str(), "%td:%td:%td%c", &first, &last, &every, &rest);
  if (found != 2 && found != 3)
    throw usage_error("--frames", "expected FIRST:LAST or FIRST:LAST:EVERY, got \"" + text + "\"",
                      "as in --frames 0:100");
  if (first < 0 || last < first || last >= count || every < 1)
    throw usage_error("--frames",
                      fmt::format("there are no frames {}; the record has {}", text, count),
                      fmt::format("frames are 0 to {}", count - 1));
  std::vector<Index> frames;
  for (Index k = first; k <= last; k += every) frames.push_back(k);
  return frames;
}

/// Of these frames those that a film at a speed shows: the nearest to each of its pictures.
std::vector<Index> at_speed(const std::vector<Index>& frames, const std::vector<Real>& time,
                            double speed, int rate) {
  const auto at = [&](Index frame) { return time[static_cast<std::size_t>(frame)]; };
  std::vector<Index> shown;
  std::size_t next = 0;
  for (Index k = 0; k < kMostPictures; ++k) {
    const Real now = at(frames.front()) + static_cast<Real>(k) * speed / rate;
    while (next + 1 < frames.size() &&
           std::abs(at(frames[next + 1]) - now) <= std::abs(at(frames[next]) - now))
      ++next;
    shown.push_back(frames[next]);
    if (now >= at(frames.back())) return shown;
  }
  throw usage_error("--speed", fmt::format("a film has at most {} pictures", kMostPictures),
                    "take a higher speed, or a part of the record with --frames");
}

std::string description_of(const RenderOptions& options, const std::vector<Index>& frames) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(options.size.c_str(), "%dx%d%c", &width, &height, &rest) != 2 ||
      std::min(width, height) < 16 || std::max(width, height) > 8192)
    throw usage_error("--size", "expected WIDTHxHEIGHT in pixels, got \"" + options.size + "\"",
                      "as in --size 1280x800");
  std::string link = options.link;
  for (const auto& [name, value] :
       {std::pair("colour", options.colour), std::pair("show", options.show),
        std::pair("bodies", options.bodies), std::pair("walls", options.walls)})
    if (!value.empty()) append(link, "{}{}={}", link.empty() ? "" : "&", name, value);
  Json job{{"width", width},
           {"height", height},
           {"frames", frames},
           {"times", Json::array()},
           {"theme", options.theme},
           {"side", options.side},
           {"plain", options.is_plain},
           {"link", link}};
  job["type"] = options.output.ends_with(".jpg") ? "image/jpeg" : "image/png";
  if (options.time) job["times"].push_back(*options.time);
  return json_text(job);
}

/// Where pictures go: one file, numbered files, or a film.
class Target {
 public:
  Target(const RenderOptions& options, std::size_t count) : path_(options.output), count_(count) {
    const std::string end = path_.extension();
    if (end != ".png" && end != ".jpg" && end != ".mp4")
      throw usage_error("-o", "cannot tell the format of \"" + options.output + "\"",
                        "allowed ends: .png, .jpg, .mp4");
    if (end != ".mp4") {
      for (std::size_t k = 0; k < count_; ++k)
        files::refuse_to_destroy(name_of(static_cast<int>(k)), files::picture_kind());
      static_cast<void>(files::OutputFile(name_of(0), files::picture_kind()));  // can it be made?
      return;
    }
    if (find_program({"ffmpeg"}).empty())
      throw usage_error("talus render", "ffmpeg, which makes films, is not installed",
                        "as root: apt-get install ffmpeg; or -o NAME.png for numbered pictures");
    film_file_.emplace(path_, files::film_kind());
    film_.emplace(std::vector<std::string>{"ffmpeg",
                                           "-y",
                                           "-loglevel",
                                           "error",
                                           "-f",
                                           "image2pipe",
                                           "-framerate",
                                           fmt::format("{}", options.rate),
                                           "-i",
                                           "-",
                                           "-vf",
                                           "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                           "-c:v",
                                           "libx264",
                                           "-crf",
                                           "20",
                                           "-pix_fmt",
                                           "yuv420p",
                                           "-movflags",
                                           "+faststart",
                                           "-metadata",
                                           "comment=" + std::string(files::kComment),
                                           "-f",
                                           "mp4",
                                           film_file_->part().string()});
  }

  void take(int index, const std::string& picture) {
    if (film_) return film_->write(picture);
    files::write_file(name_of(index), files::picture_kind(), files::picture_marked(picture));
  }

  /// What has been written, in words.
  [[nodiscard]] std::string description() const {
    if (count_ == 1) return path_.string();
    return film_ ? fmt::format("{} ({} pictures)", path_.string(), count_)
                 : fmt::format("{} pictures {}_0000{} …", count_, path_.stem().string(),
                               path_.extension().string());
  }

  void finish() {
    if (!film_) return;
    film_->close_input();
    if (film_->wait() != 0) throw std::runtime_error("ffmpeg failed: " + film_->printed());
    film_file_->commit();
  }

 private:
  [[nodiscard]] fs::path name_of(int index) const {
    fs::path path = path_;
    if (count_ > 1)
      path.replace_filename(path_.stem().string() + fmt::format("_{:04}", index) +
                            path_.extension().string());
    return path;
  }

  fs::path path_;
  std::size_t count_;
  std::optional<files::OutputFile> film_file_;
  std::optional<ChildProcess> film_;
};

/// How far the page has come; it answers in threads of the server.
struct DrawingProgress {
  std::mutex mutex;
  std::size_t pictures = 0;
  std::string failure;
  Clock::time_point last = Clock::now();
};

std::vector<std::string> browser_command(const std::string& program, const fs::path& profile,
                                         const std::string& address) {
  std::vector<std::string> words = {program,
                                    "--headless=new",
                                    "--use-gl=angle",
                                    "--use-angle=swiftshader",
                                    "--enable-unsafe-swiftshader",
                                    "--no-first-run",
                                    "--disable-extensions",
                                    "--disable-background-networking",
                                    "--disable-sync",
                                    "--user-data-dir=" + profile.string()};
  if (::geteuid() == 0) words.emplace_back("--no-sandbox");  // Chromium's sandbox refuses root
  words.push_back(address + (address.find('?') == std::string::npos ? "?job" : "&job"));
  return words;
}

/// Waits until all pictures are there. @throws InputError or std::runtime_error if they do not
/// come.
void wait_for(DrawingProgress& progress, std::size_t count, ChildProcess& browser) {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::lock_guard lock(progress.mutex);
    if (!progress.failure.empty())
      throw usage_error("talus render", "the page could not draw: " + progress.failure, "");
    if (progress.pictures == count) return;
    if (InterruptGuard::is_interrupted()) return;
    if (browser.poll())
      throw std::runtime_error("the browser ended before the pictures were drawn: " +
                               browser.printed());
    if (Clock::now() - progress.last > kPatience)
      throw std::runtime_error("the browser drew nothing for three minutes: " + browser.printed());
  }
}

int render(const RenderOptions& options) {
  std::vector<Index> frames;
  {
    const record::RecordReader reader(options.record);
    const Index count = reader.frame_count();
    if (count == 0) throw file_error(options.record, "this record has no frames yet");
    if (!options.frames.empty())
      frames = frames_of(options.frames, count);
    else if (options.speed)
      frames = frames_of(fmt::format("0:{}", count - 1), count);
    else
      frames = {count - 1};
    if (options.speed)
      frames = at_speed(frames, reader.array("frames/time").values, *options.speed, options.rate);
  }
  const std::string description = description_of(options, frames);
  const char* named = std::getenv("TALUS_CHROMIUM");
  const std::string program =
      named != nullptr ? named
                       : find_program({"chromium", "chromium-browser", "google-chrome", "chrome"});
  const std::string page = view::load_page();
  if (program.empty())
    throw usage_error("talus render", "Chromium, which draws the pictures, is not installed",
                      "as root: apt-get install chromium");
  const InterruptGuard guard;
  Target target(options, frames.size());
  view::RecordSource source(options.record);
  view::Server server(source, page, {"127.0.0.1", 0, view::make_token()});
  DrawingProgress progress;
  server.set_job({description,
                  [&](int index, const std::string& picture) {
                    const std::lock_guard lock(progress.mutex);
                    target.take(index, picture);
                    ++progress.pictures;
                    progress.last = Clock::now();
                  },
                  [&](const std::string& message) {
                    const std::lock_guard lock(progress.mutex);
                    progress.failure = message;
                  }});
  server.bind();
  std::thread thread([&] { server.run(); });
  struct Stop {
    view::Server& server;
    std::thread& thread;
    ~Stop() {
      server.stop();
      thread.join();
    }
  } const stop{server, thread};
  {
    const files::TemporaryFolder profile("talus-render");
    ChildProcess browser(browser_command(program, profile.path(), server.address()));
    wait_for(progress, frames.size(), browser);
  }
  if (InterruptGuard::is_interrupted()) return kInterrupted;
  target.finish();
  fmt::print(stderr, "talus: wrote {}\n", target.description());
  return kDone;
}

}  // namespace

void add_render(Verb program) {
  auto options = std::make_shared<RenderOptions>();
  Verb verb = program.add_verb("render", "Draws pictures or a film of a record");
  verb.footer(kRenderExamples);
  verb.add_option("record", options->record, "Record").required();
  verb.add_option("-o,--output", options->output, "File to write, .png, .jpg or .mp4").required();
  const Option time =
      verb.add_option("--time", options->time, "The frame nearest to a time [s]").in_seconds();
  verb.add_option("--frames", options->frames, "FIRST:LAST or FIRST:LAST:EVERY, from 0")
      .excludes(time);
  verb.add_option("--size", options->size, "Width and height in pixels").with_default();
  const Option rate = verb.add_option("--rate", options->rate, "Of a film: frames per second")
                          .in_range(1, 240)
                          .with_default();
  const Option speed =
      verb.add_option("--speed", options->speed,
                      "Of a film: simulated seconds per second; otherwise every frame is a picture")
          .in_range(1e-9, 1e9);
  verb.add_flag("--plain", options->is_plain, "Without legend, time, scale bar and axes");
  verb.add_option("--theme", options->theme, "light or dark")
      .one_of({"light", "dark"})
      .with_default();
  verb.add_option("--from", options->side, "Seen from: front, side, top or corner")
      .one_of({"front", "side", "top", "corner"});
  verb.add_option("--colour", options->colour, "body, speed, material, contacts or certificate")
      .one_of({"body", "speed", "material", "contacts", "certificate"});
  verb.add_option("--show", options->show,
                  "With commas between: points, normals, forces, chains, cones")
      .several_of({"points", "normals", "forces", "chains", "cones"});
  verb.add_option("--bodies", options->bodies, "solid, glass or hidden")
      .one_of({"solid", "glass", "hidden"});
  verb.add_option("--walls", options->walls, "solid, glass or hidden")
      .one_of({"solid", "glass", "hidden"});
  verb.add_option("--link", options->link, "All of this as talus view's address has it after #");
  verb.action([options, rate, speed] {
    if ((rate.is_given() || speed.is_given()) && !options->output.ends_with(".mp4"))
      throw usage_error(speed.is_given() ? "--speed" : "--rate",
                        options->output + " is no film: its frames have no time between them",
                        "-o NAME.mp4 makes a film");
    return render(*options);
  });
}

}  // namespace talus::cli
