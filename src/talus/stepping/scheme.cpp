#include <talus/stepping/scheme.hpp>

#include <array>

#include <talus/base/contract.hpp>
#include <talus/stepping/moreau_jean.hpp>
#include <talus/stepping/stewart_trinkle.hpp>

namespace talus::stepping {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Scheme> (*make)(const model::Model&, const SchemeOptions&);
};

constexpr std::array kSchemes = {
    Entry{"moreau_jean", make_moreau_jean},
    Entry{"stewart_trinkle", make_stewart_trinkle},
};

}  // namespace

std::vector<std::string_view> scheme_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kSchemes) names.push_back(entry.name);
  return names;
}

std::string unsupported(const model::Model& model, const SchemeOptions& options) {
  if (options.scheme != "stewart_trinkle") return "";
  for (const model::ContactLaw& law : model.laws)
    if (law.restitution > 0)
      return "stewart_trinkle knows inelastic impacts only, the scene has a restitution of " +
             std::to_string(law.restitution);
  return "";
}

std::unique_ptr<Scheme> make_scheme(const model::Model& model, const SchemeOptions& options) {
  for (const Entry& entry : kSchemes)
    if (entry.name == options.scheme) return entry.make(model, options);
  TALUS_DEMAND(!"the name of a scheme");
  return nullptr;
}

}  // namespace talus::stepping
