#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/progress_bar.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/reproduce/reproduction.hpp>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReproduceExamples = R"(Examples:
  talus reproduce --list
  talus reproduce papers/stewart_trinkle_1996           or its name alone
  talus reproduce papers/stewart_trinkle_1996 --full -o report
  talus reproduce papers/stewart_trinkle_1996 --json
  talus reproduce preclik_2017 --only hopper            one of its studies

Runs the scenes of a paper, prints its numbers beside ours and writes a report with figures.

Exit codes: 0 all numbers within tolerance, 1 internal error, 2 usage or input error, 4 some differ,
130 interrupted.)";

constexpr Real kLong = 10;  ///< [s]: what takes longer is said before it begins

struct ReproduceOptions {
  std::string paper, output, papers;
  std::vector<std::string> only;
  bool is_list = false, is_full = false, as_json = false, has_no_report = false;
};

/// The folder of papers: as asked, here or in a folder above, of the installation, of the sources.
fs::path find_papers(const std::string& asked) {
  if (!asked.empty()) return asked;
  for (fs::path folder = fs::current_path();; folder = folder.parent_path()) {
    if (!reproduce::paper_names(folder / "papers").empty()) return folder / "papers";
    if (folder == folder.parent_path()) break;
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  fs::path installed = program.parent_path().parent_path() / "share" / "talus" / "papers";
  if (!error && !reproduce::paper_names(installed).empty()) return installed;
  return TALUS_PAPERS_FOLDER;
}

/// "40 s", "2 min"; "" where it is not known.
std::string duration_of(const reproduce::Paper& paper) {
  if (paper.seconds <= 0) return "";
  return paper.seconds < 90 ? fmt::format("{:.0f} s", paper.seconds)
                            : fmt::format("{:.0f} min", paper.seconds / 60);
}

int list(const fs::path& papers) {
  const std::vector<std::string> names = reproduce::paper_names(papers);
  if (names.empty())
    throw usage_error("--papers", "there are no papers in " + papers.string(),
                      "a paper is a folder with expected.yaml; without --papers they are found");
  for (const std::string& name : names) {
    const reproduce::Paper paper = reproduce::load_paper(papers / name);
    fmt::print("{:<22} {:>6}  {}\n", name, duration_of(paper), paper.title);
  }
  return kDone;
}

int reproduce_paper(ReproduceOptions options) {
  fs::path papers = find_papers(options.papers);
  if (options.is_list) return list(papers);
  if (fs::exists(fs::path(options.paper) / "expected.yaml")) {  // a folder
    const fs::path folder = (fs::absolute(options.paper) / "expected.yaml").lexically_normal();
    papers = folder.parent_path().parent_path();
    options.paper = folder.parent_path().filename().string();
  }
  const auto names = reproduce::paper_names(papers);
  if (std::find(names.begin(), names.end(), options.paper) == names.end())
    throw InputError(
        Diagnostic{{"command line"},
                   "",
                   options.paper.empty() ? "reproduce needs the name of a paper"
                                         : fmt::format("there is no paper \"{}\"", options.paper),
                   "",
                   fmt::format("known in {}: {}", papers.string(), join(names, ", "))});
  const fs::path folder = options.output.empty() ? options.paper + "_report" : options.output;
  if (!options.has_no_report) {  // before the work
    files::make_folder(folder);
    files::refuse_to_destroy(folder / "report.md", files::report_kind());
  }
  const InterruptGuard guard;
  ProgressBar bar(stderr);
  reproduce::Options reproduction_options;
  reproduction_options.is_full = options.is_full;
  reproduction_options.only = options.only;
  reproduction_options.should_stop = InterruptGuard::is_interrupted;
  reproduction_options.progress = [&](const std::string& text, Real share) {
    bar.show(text, share);
  };
  const reproduce::Paper paper = reproduce::load_paper(papers / options.paper);
  if (paper.seconds >= kLong && options.only.empty())
    fmt::print(stderr, "talus: {} takes about {} on two processors{}; --only runs a part of it\n",
               paper.name, duration_of(paper), options.is_full ? ", with --full longer" : "");
  const auto result = reproduce::reproduce(paper, reproduction_options);
  bar.clear();
  if (result.is_interrupted) return kInterrupted;
  fs::path report;
  if (!options.has_no_report) report = reproduce::write_report(result, folder);
  if (options.as_json) {
    fmt::print("{}\n", reproduce::to_json(result));
  } else {
    fmt::print("{}", reproduce::to_text(result));
    if (!report.empty()) fmt::print("report: {}\n", report.string());
  }
  return result.is_ok() ? kDone : kDiffers;
}

}  // namespace

void add_reproduce(Verb program) {
  auto options = std::make_shared<ReproduceOptions>();
  Verb verb = program.add_verb("reproduce", "Runs a paper's examples beside its numbers");
  verb.footer(kReproduceExamples);
  verb.add_option("paper", options->paper, "Name of the paper (see --list), or its folder")
      .completed_by([](const auto&) { return reproduce::paper_names(find_papers("")); });
  verb.add_flag("--list", options->is_list, "List the papers");
  verb.add_option("--only", options->only,
                  "Only what has a name that begins like this: a quantity, a figure, a flow")
      .one_word_each();
  verb.add_flag("--full", options->is_full, "Also the runs that take longer");
  const Option output = verb.add_option(
      "-o,--output", options->output, "Folder of the report; otherwise NAME_report in this folder");
  verb.add_flag("--no-report", options->has_no_report, "Write no report").excludes(output);
  verb.add_flag("--json", options->as_json, "Print one JSON object");
  verb.add_option("--papers", options->papers, "Folder of papers; otherwise found");
  verb.action([options] { return reproduce_paper(*options); });
}

}  // namespace talus::cli
