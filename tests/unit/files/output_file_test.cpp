#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include <support/content_of.hpp>
#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/files/own_kinds.hpp>

namespace talus::files::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;
using test::Scratch;

void put(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::size_t file_count(const Scratch& scratch) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(scratch.folder()), {}));
}

// A file that Talus did not write as the same kind is never replaced, and nothing is left beside.
TEST(OutputFile, LeavesForeignFilesAlone) {
  const Scratch scratch;
  for (const OwnKind& kind : {table_kind(), drawing_kind(), vtk_kind(), report_kind(),
                              picture_kind(), film_kind(), gltf_kind(), page_kind()}) {
    put(scratch / "thesis", "years of work");
    EXPECT_THROW(OutputFile(scratch / "thesis", kind), InputError) << kind.name;
    EXPECT_EQ(test::content_of(scratch / "thesis"), "years of work") << kind.name;
    EXPECT_EQ(file_count(scratch), 1U) << kind.name;
  }
}

// What Talus wrote is replaced by the same kind, and by no other.
TEST(OutputFile, ReplacesItsOwnKindOnly) {
  const Scratch scratch;
  const std::string png = std::string("\x89PNG\r\n\x1a\n", 8) + std::string(25, 'h') + "rest";
  const std::vector<std::pair<const OwnKind*, std::string>> files = {
      {&table_kind(), "step,time [s],total [J]\n1,0.1,2\n"},
      {&drawing_kind(), xml_marked("<?xml version=\"1.0\"?>\n<svg/>")},
      {&picture_kind(), picture_marked(png)},
      {&gltf_kind(), R"(glTF{"asset":{"generator":"Talus","version":"2.0"}})"},
      {&page_kind(), R"(<script id="talus-header">)"}};
  for (const auto& [kind, content] : files)
    for (const auto& [other, ignored] : files) {
      fs::remove(scratch / "file");
      write_file(scratch / "file", *kind, content);
      if (other == kind)
        write_file(scratch / "file", *other, content + "more");
      else
        EXPECT_THROW(write_file(scratch / "file", *other, "x"), InputError) << kind->name;
      EXPECT_EQ(test::content_of(scratch / "file"), other == kind ? content + "more" : content);
    }
}

// Tables that others wrote stay, also laws of time with the headings that scenes take; those of
// export, plot and bench are replaced.
TEST(OutputFile, LeavesForeignTablesAlone) {
  const Scratch scratch;
  for (const char* foreign :
       {"time [s],angle [deg]\n0,0\n", "time [s],x,y\n", "step,a\n1,2\n", "frame,a\n", "time,a\n",
        "id,x,y,z,r\n", "series,a\n", "problem,points\n"}) {
    put(scratch / "table.csv", foreign);
    EXPECT_THROW(write_file(scratch / "table.csv", table_kind(), "x"), InputError) << foreign;
    EXPECT_EQ(test::content_of(scratch / "table.csv"), foreign);
  }
  for (const char* own :
       {"step,time [s],angle [rad]\n", "time [s],energies/kinetic [J]\n", "time [s],body.b.x [m]\n",
        "time [s],\"a: joint.a,b.rate [rad/s]\"\n", "series,time [s],value\n",
        "problem,contacts,dimension,solver,status\n"}) {
    put(scratch / "table.csv", own);
    EXPECT_NO_THROW(write_file(scratch / "table.csv", table_kind(), "x")) << own;
  }
}

// A folder for files is made with those above it; a name that a file has is refused with a reason.
TEST(OutputFile, MakesFolders) {
  const Scratch scratch;
  make_folder(scratch / "a/b");
  make_folder(scratch / "a/b");
  EXPECT_TRUE(fs::is_directory(scratch / "a/b"));
  put(scratch / "file", "x");
  EXPECT_THROW(make_folder(scratch / "file"), InputError);
}

// An input of the same command is not replaced, under whatever name, even if Talus wrote it.
TEST(OutputFile, NeverReplacesAnInput) {
  const Scratch scratch;
  put(scratch / "table.csv", "step,time [s]\n");
  fs::create_symlink("table.csv", scratch / "other.csv");
  const std::vector<fs::path> inputs = {scratch / "table.csv"};
  EXPECT_THROW(write_file(scratch / "other.csv", table_kind(), "x", inputs), InputError);
  EXPECT_EQ(test::content_of(scratch / "table.csv"), "step,time [s]\n");
}

// Until commit() the old file is there; without commit() it stays and nothing is left beside it.
TEST(OutputFile, AppearsWholeOrNotAtAll) {
  const Scratch scratch;
  put(scratch / "table.csv", "step,time [s],old\n");
  {
    OutputFile file(scratch / "table.csv", table_kind());
    file.stream() << "step,time [s],new\n" << std::flush;
    EXPECT_EQ(test::content_of(scratch / "table.csv"), "step,time [s],old\n");
  }
  EXPECT_EQ(test::content_of(scratch / "table.csv"), "step,time [s],old\n");
  EXPECT_EQ(file_count(scratch), 1U);
  OutputFile file(scratch / "table.csv", table_kind());
  file.stream() << "step,time [s],new\n";
  file.commit();
  EXPECT_EQ(test::content_of(scratch / "table.csv"), "step,time [s],new\n");
  EXPECT_EQ(file_count(scratch), 1U);
}

// An empty file holds nothing to lose; behind a link the file is replaced, not the link; a device
// is written to.
TEST(OutputFile, EmptyFilesLinksAndDevices) {
  const Scratch scratch;
  put(scratch / "file", "");
  fs::create_symlink("file", scratch / "link");
  write_file(scratch / "link", table_kind(), "step,time [s]\n");
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(test::content_of(scratch / "file"), "step,time [s]\n");
  EXPECT_NO_THROW(write_file("/dev/null", table_kind(), "step,time [s]\n"));
}

// A link to a file that is not there yet is followed: the file is made where the link leads.
TEST(OutputFile, LinksAreFollowedWhereNoFileIs) {
  const Scratch scratch;
  fs::create_directory(scratch / "far");
  fs::create_symlink("middle", scratch / "link");
  fs::create_symlink("far/file", scratch / "middle");
  write_file(scratch / "link", table_kind(), "step,time [s]\n");
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(test::content_of(scratch / "far/file"), "step,time [s]\n");
  EXPECT_TRUE(is_same_file(scratch / "link", scratch / "far/file"));
  EXPECT_TRUE(is_same_file(scratch / "nothing", scratch / "far/../nothing"));
  EXPECT_FALSE(is_same_file(scratch / "nothing", scratch / "link"));
  fs::create_symlink("there", scratch / "here");
  fs::create_symlink("here", scratch / "there");
  EXPECT_THROW(write_file(scratch / "here", table_kind(), "x"), InputError);
}

// A pipe with a name would keep the program waiting for a reader: refused at once. What needs a
// file, because it grows, takes no device either.
TEST(OutputFile, PipesAndDevicesThatCannotBeWritten) {
  const Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", scratch / "link");
  for (const char* name : {"pipe", "link"}) {
    EXPECT_THROW(write_file(scratch / name, table_kind(), "x"), InputError) << name;
    EXPECT_THROW(refuse_to_destroy(scratch / name, table_kind()), InputError) << name;
  }
  const OwnKind growing{"a growing file", [](const fs::path&) { return true; }, true};
  EXPECT_THROW(refuse_to_destroy("/dev/null", growing), InputError);
  EXPECT_NO_THROW(refuse_to_destroy("/dev/null", table_kind()));
}

// A pipe without a name is written through: a shell's >(…), /dev/stdout before a pipe.
TEST(OutputFile, PipesWithoutNamesAreWritten) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  write_file("/proc/self/fd/" + std::to_string(ends[1]), table_kind(), "step");
  std::string text(4, ' ');
  EXPECT_EQ(::read(ends[0], text.data(), text.size()), 4);
  EXPECT_EQ(text, "step");
  for (const int end : ends) ::close(end);
}

// What could not be written whole is an error: a full disk, a folder that is not there.
TEST(OutputFile, SaysWhatCouldNotBeWritten) {
  const Scratch scratch;
  EXPECT_THROW(write_file("/dev/full", table_kind(), "step,time [s]\n"), InputError);
  EXPECT_THROW(write_file(scratch / "no/such/table.csv", table_kind(), "step,time [s]\n"),
               InputError);
  EXPECT_THROW(write_file(scratch.folder(), table_kind(), "step,time [s]\n"), InputError);
}

// A mark is found wherever it stands, also across the blocks that are read; not beyond its range.
TEST(OutputFile, MarksAreFoundAcrossBlocks) {
  const Scratch scratch;
  for (const std::size_t before : {0, 1, 65'530, 65'536, 200'000}) {
    put(scratch / "file", std::string(before, '.') + "mark" + std::string(100, '.'));
    EXPECT_TRUE(holds(scratch / "file", "mark", 1'000'000)) << before;
    EXPECT_TRUE(holds(scratch / "file", "mark", before + 4)) << before;
    EXPECT_FALSE(holds(scratch / "file", "mark", before + 3)) << before;
  }
}

// PNG's comment is a chunk with its checksum (that of the empty chunk IEND is known: AE426082).
TEST(OutputFile, PicturesBearAComment) {
  const std::string png = std::string("\x89PNG\r\n\x1a\n", 8) + std::string(25, 'h') + "rest";
  const std::string marked = picture_marked(png);
  EXPECT_EQ(marked.substr(0, 33), png.substr(0, 33));
  EXPECT_EQ(marked.substr(33, 16), std::string("\0\0\0\x18tEXtComment\0", 16));
  EXPECT_EQ(marked.substr(49, 16), "written by Talus");
  EXPECT_TRUE(marked.ends_with("rest"));
  EXPECT_EQ(marked.size(), png.size() + 12 + 24);
  EXPECT_EQ(picture_marked("\xff\xd8rest"),
            std::string("\xff\xd8\xff\xfe\0\x12written by Talusrest", 26));
  EXPECT_EQ(picture_marked("something else"), "something else");
}

}  // namespace
}  // namespace talus::files::TALUS_TEST_FILE
