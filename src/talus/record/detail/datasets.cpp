#include <talus/record/detail/datasets.hpp>

namespace talus::record::detail {

Datasets::Datasets(hid_t file) : file_(file) {
  for (const std::string& path : hdf5::dataset_names(file)) opened_.try_emplace(path);
}

const hdf5::Dataset* Datasets::find(const std::string& path) {
  const auto found = opened_.find(path);
  if (found == opened_.end()) return nullptr;
  if (!found->second.is_valid())
    found->second = hdf5::Dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), path);
  return &found->second;
}

std::vector<std::string> Datasets::paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, dataset] : opened_) paths.push_back(path);
  return paths;
}

}  // namespace talus::record::detail
