#include <talus/record/detail/growing_file.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/files/output_file.hpp>
#include <talus/hdf5/file_access.hpp>
#include <talus/hdf5/open_file.hpp>

namespace talus::record::detail {
namespace fs = std::filesystem;
namespace {

hid_t file_type(Element element) {
  switch (element) {
    case Element::real64:
      return H5T_IEEE_F64LE;
    case Element::real32:
      return H5T_IEEE_F32LE;
    case Element::int64:
      return H5T_STD_I64LE;
    case Element::int32:
      return H5T_STD_I32LE;
    case Element::uint8:
      return H5T_STD_U8LE;
  }
  return -1;
}

hid_t memory_type(Element element) {
  switch (element) {
    case Element::real64:
      return H5T_NATIVE_DOUBLE;
    case Element::real32:
      return H5T_NATIVE_FLOAT;
    case Element::int64:
      return H5T_NATIVE_INT64;
    case Element::int32:
      return H5T_NATIVE_INT32;
    case Element::uint8:
      return H5T_NATIVE_UINT8;
  }
  return -1;
}

/// (rows, bodies if per body, components if more than one).
hdf5::Shape extents(const Series& series, hsize_t rows, hsize_t bodies) {
  hdf5::Shape shape{rows};
  if (series.is_per_body) shape.push_back(bodies);
  if (series.components > 1) shape.push_back(static_cast<hsize_t>(series.components));
  return shape;
}

/// Rows of a series before anything happened: offsets start with the 0 that a new dataset holds.
hsize_t first_rows(Clock clock) { return clock == Clock::frame_edge ? 1 : 0; }

void make_series(hid_t file, const Series& series, Index body_count, int compression) {
  const std::string path(series.path);
  const hdf5::Shape shape =
      extents(series, first_rows(series.clock), static_cast<hsize_t>(body_count));
  hdf5::Shape limit = shape;
  for (hsize_t& extent : limit) extent = std::max<hsize_t>(extent, 1);  // no bodies: chunks need 1
  limit[0] = H5S_UNLIMITED;
  const ChunkShape chunk = chunk_shape(series, body_count);
  const hdf5::Shape chunk_extents =
      extents(series, static_cast<hsize_t>(chunk.rows), static_cast<hsize_t>(chunk.bodies));
  const int rank = static_cast<int>(shape.size());
  const hdf5::Space space(H5Screate_simple(rank, shape.data(), limit.data()), path);
  const hdf5::Properties creation(H5Pcreate(H5P_DATASET_CREATE), path);
  hdf5::check(H5Pset_chunk(creation.get(), rank, chunk_extents.data()), path);
  if (compression > 0 && is_compressed(series, body_count)) {
    hdf5::check(H5Pset_shuffle(creation.get()), path);
    hdf5::check(H5Pset_deflate(creation.get(), static_cast<unsigned>(compression)), path);
  }
  const hdf5::Properties links = hdf5::with_parents();
  const hdf5::Dataset dataset(H5Dcreate2(file, path.c_str(), file_type(series.element), space.get(),
                                         links.get(), creation.get(), H5P_DEFAULT),
                              path);
  hdf5::write_attribute(dataset.get(), "unit", std::string(series.unit));
  hdf5::write_attribute(dataset.get(), "meaning", std::string(series.meaning));
  if (!series.labels.empty())
    hdf5::write_attribute(dataset.get(), "labels", std::string(series.labels));
}

/// False if the file is gone, damaged, or held open by a reader (HDF5 locks it).
bool can_be_written(const fs::path& path) {
  const hdf5::Session session;
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  if (id < 0) return false;
  H5Fclose(id);
  return true;
}

/// Free space inside the file is kept track of from one opening to the next: without it, chunks
/// that grow under compression leave holes at every flush (four times the size after 400 flushes).
hdf5::Properties file_creation() {
  hdf5::Properties creation(H5Pcreate(H5P_FILE_CREATE), "file properties");
  hdf5::check(H5Pset_file_space_strategy(creation.get(), H5F_FSPACE_STRATEGY_FSM_AGGR, true, 1),
              "file properties");
  return creation;
}

}  // namespace

/// The rows themselves, twice where they end in partly filled chunks, and what HDF5 keeps for
/// itself. HDF5 does not survive a write that fails, so the room is made sure of beforehand.
std::uintmax_t GrowingFile::room_needed(std::size_t changing_bytes) const {
  constexpr std::uintmax_t kMetadata = 1024 * 1024;
  std::uintmax_t room = kMetadata + changing_bytes;
  for (const Batch& batch : batches_)
    for (const Rows& rows : batch) room += 2 * rows.bytes.size();
  for (const Series& series : series_) {
    const ChunkShape chunk = chunk_shape(series, body_count_);
    room += size_of(series.element) *
            static_cast<std::size_t>(series.components * chunk.rows * chunk.bodies);
  }
  return room;
}

/// Nothing waits behind so many rows.
void GrowingFile::lay_out(const std::vector<hsize_t>& rows) {
  waiting_.resize(series_.size());
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const std::size_t entries = series_[i].is_per_body ? static_cast<std::size_t>(body_count_) : 1;
    row_bytes_.push_back(size_of(series_[i].element) *
                         static_cast<std::size_t>(series_[i].components) * entries);
    waiting_[i].first = waiting_[i].end = rows[i];
  }
  live_rows_ = spare_rows_ = rows;
}

GrowingFile::GrowingFile(fs::path path, std::vector<Series> series, Index body_count,
                         int compression, const std::function<void(hid_t file)>& write_fixed)
    : path_(files::followed(std::move(path))),
      spare_(path_),
      series_(std::move(series)),
      body_count_(body_count),
      lock_(path_) {
  spare_ += ".spare";
  RowCounts rows;
  for (const Series& each : series_) rows.push_back(first_rows(each.clock));
  lay_out(rows);
  const hdf5::Session session;
  try {
    fs::remove(spare_);
    files::reserve_room(spare_, room_needed(0));
    fs::remove(spare_);
    const hdf5::Properties creation = file_creation();
    const hdf5::Properties access = hdf5::checked_access();
    hdf5::File file(H5Fcreate(spare_.c_str(), H5F_ACC_EXCL, creation.get(), access.get()),
                    "cannot make it");
    write_fixed(file.get());
    for (const Series& each : series_) make_series(file.get(), each, body_count, compression);
    file.close("cannot write it");
    files::sync_to_disk(spare_);
    replaces_ = has_spare_ = fs::exists(path_);
    if (!replaces_) fs::rename(spare_, path_);
  } catch (const fs::filesystem_error& error) {
    remove_spare();
    throw files::cannot_write(path_, error.code());
  } catch (const std::exception& error) {
    remove_spare();
    throw file_error(path_.string(), std::string("cannot write the record: ") + error.what(),
                     "is the folder there and writable, and is there room on the disk?");
  }
  live_ = files::FilePin(path_);
}

GrowingFile::GrowingFile(fs::path path, std::vector<Series> series, Index body_count,
                         const std::vector<Index>& rows)
    : path_(files::followed(std::move(path))),
      spare_(path_),
      series_(std::move(series)),
      body_count_(body_count),
      lock_(path_) {
  TALUS_DEMAND_EQ(rows.size(), series_.size());
  spare_ += ".spare";
  lay_out({rows.begin(), rows.end()});
  try {
    const hdf5::Session session;
    const hdf5::File file = hdf5::open_file(path_);
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const std::string name(series_[i].path);
      const hdf5::Dataset dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), name);
      hdf5::Shape expected =
          extents(series_[i], static_cast<hsize_t>(rows[i]), static_cast<hsize_t>(body_count));
      const hdf5::Shape found = hdf5::shape_of(dataset.get());
      if (found.size() != expected.size() || found[0] < expected[0] ||
          !std::equal(found.begin() + 1, found.end(), expected.begin() + 1))
        throw std::runtime_error(name + " is not as this run writes it");
    }
  } catch (const std::exception& error) {
    throw file_error(path_.string(), std::string("cannot continue the record: ") + error.what());
  }
  live_ = files::FilePin(path_);
  trims_ = true;
  flush(take(), "running", {});
  trims_ = false;
  remove_spare();  // it still has the rows that were cut off
}

GrowingFile::~GrowingFile() { close(); }

std::byte* GrowingFile::grow(std::size_t series, Index rows) {
  Rows& waiting = waiting_[series];
  const std::size_t start = waiting.bytes.size();
  const std::size_t size = static_cast<std::size_t>(rows) * row_bytes_[series];
  waiting.bytes.resize(start + size);
  waiting.end += static_cast<hsize_t>(rows);
  waiting_bytes_ += size;
  return waiting.bytes.data() + start;
}

void GrowingFile::append(std::size_t series, const void* data, Index rows) {
  std::byte* const place = grow(series, rows);
  const std::size_t size = static_cast<std::size_t>(rows) * row_bytes_[series];
  if (size > 0) std::memcpy(place, data, size);
}

GrowingFile::Batch GrowingFile::take() {
  Batch next(waiting_.size());
  for (std::size_t i = 0; i < next.size(); ++i) {
    next[i].first = next[i].end = waiting_[i].end;
    next[i].bytes.reserve(waiting_[i].bytes.size());
  }
  waiting_bytes_ = 0;
  return std::exchange(waiting_, std::move(next));
}

void GrowingFile::flush(Batch batch, const std::string& status, const Changing& changing) {
  batches_.push_back(std::move(batch));
  const auto demand_at_its_place = [&] {
    if (!live_.is_at(path_))
      throw file_error(path_.string(),
                       "another program moved, replaced or removed this file during the run: "
                       "recording ends here",
                       "what was recorded went with the file that was here");
  };
  demand_at_its_place();
  try {
    make_spare_free();
    files::reserve_room(spare_, fs::file_size(spare_) + room_needed(changing.bytes));
    write_spare(status, changing);
    files::sync_to_disk(spare_);
    if (replaces_)
      fs::rename(spare_, path_);
    else
      files::exchange_names(path_, spare_);
    live_ = files::FilePin(path_);
    std::error_code ignored;
    has_spare_ = !replaces_ && fs::exists(spare_, ignored);
    replaces_ = false;
  } catch (const std::exception& error) {
    has_spare_ = false;  // its content is in doubt: the next flush starts from a copy of the file
    demand_at_its_place();  // it may have gone since
    const auto* of_system = dynamic_cast<const fs::filesystem_error*>(&error);
    throw file_error(path_.string(),
                     "cannot extend the record: " +
                         (of_system ? of_system->code().message() : std::string(error.what())),
                     replaces_ ? "the file that was there before is intact"
                               : "what was recorded before this is intact in the file");
  }
  spare_rows_ = live_rows_;
  for (std::size_t i = 0; i < series_.size(); ++i) live_rows_[i] = batches_.back()[i].end;
  drop_saved_rows();
}

void GrowingFile::write_spare(const std::string& status, const Changing& changing) {
  const hdf5::Session session;
  const hdf5::Properties access = hdf5::checked_access();
  hdf5::File file(H5Fopen(spare_.c_str(), H5F_ACC_RDWR, access.get()),
                  "cannot open the spare copy");
  for (std::size_t i = 0; i < series_.size(); ++i) extend(file.get(), i);
  if (changing.write) changing.write(file.get());
  if (hdf5::read_attribute(file.get(), "status", "") != status)
    hdf5::write_attribute(file.get(), "status", status);
  file.close("cannot write it");
}

void GrowingFile::close() {
  remove_spare();
  lock_ = files::FileLock();
}

void GrowingFile::remove_spare() {
  std::error_code ignored;
  fs::remove(spare_, ignored);
  has_spare_ = false;
}

void GrowingFile::make_spare() {
  if (replaces_) throw std::runtime_error("its beginning is lost");
  fs::remove(spare_);
  fs::copy_file(path_, spare_);
  spare_rows_ = live_rows_;
  has_spare_ = true;
}

/// A reader may still hold the file that became the spare, and HDF5's lock keeps us out of it:
/// then it is left to the reader, and a fresh copy takes its place.
void GrowingFile::make_spare_free() {
  const bool is_free = has_spare_ && can_be_written(spare_);
  if (!is_free) make_spare();
}

void GrowingFile::extend(hid_t file, std::size_t series) {
  const hsize_t end = batches_.back()[series].end;
  if (spare_rows_[series] == end && !trims_) return;
  const std::string path(series_[series].path);
  const hdf5::Shape shape = extents(series_[series], end, static_cast<hsize_t>(body_count_));
  const hdf5::Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path);
  hdf5::check(H5Dset_extent(dataset.get(), shape.data()), path);
  if (row_bytes_[series] == 0) return;
  TALUS_DEMAND(spare_rows_[series] >= batches_.front()[series].first);
  for (const Batch& batch : batches_) write_rows(dataset.get(), series, batch[series]);
}

/// Those of them that the spare lacks.
void GrowingFile::write_rows(hid_t dataset, std::size_t series, const Rows& rows) {
  const hsize_t start = std::max(rows.first, spare_rows_[series]);
  if (start >= rows.end) return;
  const std::string path(series_[series].path);
  const hdf5::Space file_space(H5Dget_space(dataset), path);
  hdf5::Shape count = extents(series_[series], rows.end - start, static_cast<hsize_t>(body_count_));
  hdf5::Shape offset(count.size(), 0);
  offset[0] = start;
  hdf5::check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, offset.data(), nullptr,
                                  count.data(), nullptr),
              path);
  const hdf5::Space memory_space(
      H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), path);
  const std::size_t skip = static_cast<std::size_t>(start - rows.first) * row_bytes_[series];
  hdf5::check(H5Dwrite(dataset, memory_type(series_[series].element), memory_space.get(),
                       file_space.get(), H5P_DEFAULT, rows.bytes.data() + skip),
              path);
}

void GrowingFile::drop_saved_rows() {
  const auto is_saved = [&](const Batch& batch) {
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (batch[i].end > std::min(live_rows_[i], spare_rows_[i])) return false;
    return true;
  };
  while (!batches_.empty() && is_saved(batches_.front())) batches_.pop_front();
}

}  // namespace talus::record::detail
