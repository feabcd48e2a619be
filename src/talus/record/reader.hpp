#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <talus/model/state.hpp>
#include <talus/record/layout.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::record {

/// What a file says it is; of one that is damaged or cut off nothing is known but its beginning.
enum class FileKind : unsigned char { record, state, other_hdf5, damaged_hdf5, not_hdf5 };
[[nodiscard]] FileKind kind_of(const std::filesystem::path& path);
/// The same of a file that must be HDF5.
/// @throws InputError in the words that all commands use: the file is not there, a folder, none of
/// HDF5, or damaged.
FileKind demand_hdf5(const std::filesystem::path& path);

/// Numbers of a dataset, row by row, whatever type they were stored in.
struct Array {
  std::vector<Index> shape;
  std::vector<Real> values;
  std::string unit;
  [[nodiscard]] Index rows() const { return shape.empty() ? 1 : shape.front(); }
  /// Numbers per row.
  [[nodiscard]] Index width() const {
    Index numbers = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) numbers *= shape[i];
    return numbers;
  }
};

/// Rows of a dataset as they lie in the file, in chunks of rows × columns × components, each
/// shuffled (the first byte of every number, then the second …) and deflated: to be unpacked by
/// several threads, which HDF5 cannot do. Axes that a dataset lacks have length 1.
struct PackedRows {
  struct Chunk {
    Index row = 0, column = 0;  ///< of its first number
    std::string bytes;
  };
  Element element = Element::real64;
  Index first = 0, rows = 0, columns = 1, components = 1;
  Index chunk_rows = 1, chunk_columns = 1;
  std::vector<Chunk> chunks;
};

/// Reads a record. Every method throws InputError, naming the file, where the file lacks what is
/// asked. Several threads may use one RecordReader: their calls are made one at a time.
class RecordReader {
 public:
  /// @throws InputError if the file cannot be opened, is no record, or is of a newer version.
  explicit RecordReader(const std::filesystem::path& path);
  ~RecordReader();
  RecordReader(RecordReader&&) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const;
  [[nodiscard]] std::string title() const;
  /// "running" (also of a killed run), "finished", "interrupted" or "stopped".
  [[nodiscard]] std::string status() const;
  [[nodiscard]] Index body_count() const;
  [[nodiscard]] Index frame_count() const;
  [[nodiscard]] Index step_count() const;

  /// What poses, velocities and contacts are kept in; a run is resumed in double all the same.
  [[nodiscard]] Precision precision() const;
  /// Steps from a frame with contacts to the next, 0: none has contacts.
  [[nodiscard]] Index contacts_every() const;
  /// Whether the contacts of a frame were recorded.
  [[nodiscard]] bool has_contacts(Index frame) const;

  /// Every dataset of numbers or texts with its path, sorted.
  [[nodiscard]] std::vector<std::string> datasets() const;
  [[nodiscard]] bool has(std::string_view dataset) const;
  [[nodiscard]] std::vector<Index> shape(const std::string& dataset) const;
  [[nodiscard]] Array array(const std::string& dataset) const;
  /// Rows `first` to `first + count − 1` of a dataset.
  [[nodiscard]] Array rows(const std::string& dataset, Index first, Index count) const;
  /// The same, packed; nothing where the dataset is not stored in that way.
  [[nodiscard]] std::optional<PackedRows> packed_rows(const std::string& dataset, Index first,
                                                      Index count) const;
  /// The numbers of one body in every frame of a per-body series: frames × components.
  [[nodiscard]] Array of_body(const std::string& dataset, Index body) const;
  /// A text attribute of a group or dataset; "" where there is none.
  [[nodiscard]] std::string note(const std::string& object, const char* name) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& dataset) const;
  /// A single text, e.g. text("provenance/version").
  [[nodiscard]] std::string text(const std::string& dataset) const;
  /// A numeric attribute of a group or dataset; `fallback` where there is none.
  [[nodiscard]] Real attribute(const std::string& object, const std::string& name,
                               Real fallback) const;

  /// Names of all bodies, and the index of one.
  [[nodiscard]] std::vector<std::string> body_names() const;
  [[nodiscard]] Index find_body(const std::string& name) const;
  /// State of all bodies in a frame, in the precision of the record.
  [[nodiscard]] model::State frame(Index frame) const;
  /// Contacts of the step that ended at a frame, in the order of that step and the precision of the
  /// record; none where they were not recorded.
  [[nodiscard]] std::vector<stepping::StepContact> contacts(Index frame) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace talus::record
