#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <talus/model/interface_law.hpp>
#include <talus/model/model.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Materials by name and the table of contact laws. Fills materials and laws of a model.
class MaterialTable {
 public:
  MaterialTable(const std::vector<const FragmentSpec*>& fragments, model::Model& model,
                Problems& problems);

  /// Index of a material; an unknown name is a problem at the place.
  [[nodiscard]] std::optional<model::MaterialIndex> find(const std::string& name,
                                                         const Place& place);

 private:
  void add(const Entry<MaterialSpec>& entry);
  void set_laws(const std::vector<const FragmentSpec*>& fragments);
  void set_pair(const PairSpec& pair, const LawSpec* fallback);
  void set_grain(const GrainSpec& grain, model::MaterialIndex a, model::MaterialIndex b,
                 model::InterfaceLaw& law);

  model::Model& model_;
  Problems& problems_;
  std::unordered_map<std::string, model::MaterialIndex> by_name_;
  std::unordered_map<std::string, Place> places_;
  std::vector<const PairSpec*> given_;  ///< who set an entry of the table, or null
};

}  // namespace talus::scene::detail
