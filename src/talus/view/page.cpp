#include <talus/view/page.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include <talus/base/error.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/json/json.hpp>
#include <talus/record/reader.hpp>
#include <talus/record/series.hpp>
#include <talus/view/record_source.hpp>

namespace talus::view {
namespace fs = std::filesystem;
namespace {

using record::RecordReader;

/// Where the page's build leaves room for a record.
constexpr std::string_view kPlace = "<!--talus-record-->";

std::string compressed(const std::string& bytes) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  if (deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib cannot begin");
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  // deflate() does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("zlib cannot compress");
  return packed;
}

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) -> unsigned {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0;
    };
    const unsigned word = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (int k = 3; k >= 0; --k) text += kDigits[word >> (6 * k) & 63];
  }
  if (bytes.size() % 3 > 0)
    text.replace(text.size() - (3 - bytes.size() % 3), 2, "==", 3 - bytes.size() % 3);
  return text;
}

/// JSON that can stand in a script element.
std::string for_script(const Json& json) {
  std::string text = json_text(json);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return text;
}

/// A record in script elements: the header, and a block of compressed numbers per dataset.
class Writer {
 public:
  Writer(const RecordReader& record, Index every, std::ostream& out) : record_(record), out_(out) {
    const Index frames = record.frame_count();
    for (Index k = 0; k < frames; k += std::max<Index>(every, 1)) frames_.push_back(k);
    if (frames > 0 && frames_.back() != frames - 1) frames_.push_back(frames - 1);
  }

  void write() {
    Json header = *parse_json(header_of(record_, "embedded"));
    header["frames"] = frames_.size();
    if (header["status"] == "running")
      header["status"] = "interrupted";  // this page stays as it is
    check_size();
    for (auto& [path, facts] : header["datasets"].members()) write_dataset(path, facts["shape"]);
    write_series();
    out_ << "<script type=\"application/json\" id=\"talus-header\">" << for_script(header)
         << "</script>\n";
  }

 private:
  static bool is_text(const std::string& path) {
    return path.ends_with("/name") || path == "machine/joint" || path == "machine/drive";
  }
  /// What the page does not show: states of all bodies at events, and the names of contacts.
  static bool is_left_out(const std::string& path) {
    return path == "contacts/feature" || path == "events/coordinates" ||
           path.starts_with("events/velocity");
  }
  static bool is_contact(const std::string& path) { return path.starts_with("contacts/"); }
  static bool is_frame(const std::string& path) {
    return path.starts_with("frames/") || path.starts_with("poses/") ||
           path.starts_with("velocities/");
  }

  void check_size() const {
    const auto per_frame = static_cast<std::size_t>(14 * record_.body_count());
    const auto contacts = static_cast<std::size_t>(record_.shape("contacts/body_a").at(0));
    const auto frames = static_cast<std::size_t>(record_.frame_count());
    const std::size_t kept = frames_.size();
    const std::size_t bytes =
        4 * (per_frame * kept + (frames > 0 ? 12 * contacts * kept / frames : 0));
    if (bytes <= kMaxPageBytes) return;
    throw file_error(
        record_.path().string(),
        fmt::format("{} frames of {} bodies are {} MB: too many for one page", kept,
                    record_.body_count(), bytes >> 20),
        fmt::format("take one of every {} with --every",
                    frames * bytes / kMaxPageBytes / std::max<std::size_t>(kept, 1) + 1));
  }

  void block(const std::string& name, const std::string& bytes) {
    out_ << "<script type=\"text/plain\" data-block=\"" << name << "\">"
         << base64(compressed(bytes)) << "</script>\n";
  }

  void write_dataset(const std::string& path, Json& shape) {
    if (is_text(path) || is_left_out(path) || shape.empty()) return;
    if (path.starts_with("steps/") || path.starts_with("energies/") || path.starts_with("probes/"))
      return;  // among the series
    const Number number =
        path == "frames/time" || path == "events/time" ? Number::float64 : Number::float32;
    std::string bytes;
    if (path == "contacts/offset") {
      double total = 0;
      std::vector<Real> offsets{0};
      for (const Index k : frames_)
        offsets.push_back(total += static_cast<double>(contacts_of(k).second));
      append_numbers(bytes, offsets, Number::float64);
      shape.items()[0] = offsets.size();
    } else if (is_contact(path)) {
      Index rows = 0;
      for (const Index k : frames_) {
        const auto [first, count] = contacts_of(k);
        append_numbers(bytes, record_.rows(path, first, count).values, number);
        rows += count;
      }
      shape.items()[0] = rows;
    } else if (is_frame(path)) {
      for (const Index k : frames_) append_numbers(bytes, record_.rows(path, k, 1).values, number);
      shape.items()[0] = frames_.size();
    } else {
      append_numbers(bytes, record_.array(path).values, number);
    }
    block(path, bytes);
  }

  std::pair<Index, Index> contacts_of(Index frame) const {
    const std::vector<Real> edge = record_.rows("contacts/offset", frame, 2).values;
    return {static_cast<Index>(edge[0]), static_cast<Index>(edge[1] - edge[0])};
  }

  void write_series() {
    std::set<std::string> groups;  // each read at once: momentum goes through all frames
    for (const record::SeriesName& name : record::series_names(record_))
      groups.insert(name.name.substr(0, name.name.find('/')));
    for (const std::string& group : groups)
      for (const record::SeriesData& data : record::read_series(record_, group)) {
        std::string bytes;
        append_numbers(bytes, data.time, Number::float64);
        append_numbers(bytes, data.value, Number::float64);
        block("series:" + data.name, bytes);
      }
    std::string bytes;  // steps themselves, as the page reads them beside the frames
    append_numbers(bytes, record_.array("steps/time").values, Number::float64);
    block("steps/time", bytes);
  }

  const RecordReader& record_;
  std::ostream& out_;
  std::vector<Index> frames_;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string load_page() {
  std::vector<fs::path> places;
  if (const char* named = std::getenv("TALUS_VIEWER")) {
    places = {named};
  } else {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error)
      places.push_back(program.parent_path().parent_path() / "share" / "talus" / "viewer" /
                       "index.html");
    places.emplace_back(TALUS_PAGE);
  }
  std::error_code ignored;
  for (const fs::path& place : places)
    if (fs::is_regular_file(place, ignored)) return read_file(place);
  throw file_error(
      places.front().string(), "the viewer's page is not here: it has not been built",
      "it is built with Node.js 20 or newer and npm: install them and run ./talus build in "
      "the sources, or name a built page in TALUS_VIEWER (viewer/README.md)");
}

std::size_t export_page(const fs::path& record, const fs::path& target, const std::string& page,
                        Index every) {
  const RecordReader reader(record);
  const std::size_t place = page.find(kPlace);
  if (place == std::string::npos)
    throw file_error(target.string(),
                     "the built page is not of this version: it has no place for a record");
  files::OutputFile file(target, files::page_kind());
  std::ostream& out = file.stream();
  out.write(page.data(), static_cast<std::streamsize>(place));
  Writer(reader, every, out).write();
  out << page.substr(place + kPlace.size());
  const auto size = static_cast<std::size_t>(out.tellp());
  file.commit();
  return size;
}

}  // namespace talus::view
