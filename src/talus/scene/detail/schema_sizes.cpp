#include <talus/scene/detail/spec.hpp>

// How size distributions are written.

namespace talus::scene::detail {

Typed<SizesSpec> sizes_type() {
  const Typed<Real> size = number(Quantity::ratio, kPositive);
  const auto uniform =
      Object<UniformSizesSpec>("uniform sizes", "All sizes between two are equally likely.")
          .field("min", &UniformSizesSpec::min, size, required(), "Smallest.")
          .field("max", &UniformSizesSpec::max, size, required(), "Largest.")
          .done();
  const auto normal =
      Object<NormalSizesSpec>("normal sizes", "A normal distribution, cut off at both ends.")
          .field("mean", &NormalSizesSpec::mean, size, with_default("1"), "Mean before the cut.")
          .field("deviation", &NormalSizesSpec::deviation, size, required(),
                 "Standard deviation before the cut.")
          .field("min", &NormalSizesSpec::min, size, required(), "Smallest.")
          .field("max", &NormalSizesSpec::max, size, required(), "Largest.")
          .done();
  const auto log_normal =
      Object<LogNormalSizesSpec>("log-normal sizes",
                                 "A log-normal distribution, cut off at both ends.")
          .field("median", &LogNormalSizesSpec::median, size, with_default("1"),
                 "Median before the cut.")
          .field("deviation", &LogNormalSizesSpec::deviation, size, required(),
                 "Standard deviation of the size's logarithm.")
          .field("min", &LogNormalSizesSpec::min, size, required(), "Smallest.")
          .field("max", &LogNormalSizesSpec::max, size, required(), "Largest.")
          .done();
  const auto table =
      Object<TableSizesSpec>("table of sizes", "A few sizes with their shares.")
          .field("sizes", &TableSizesSpec::sizes, list(size, 1, 10'000), required(), "The sizes.")
          .field("shares", &TableSizesSpec::shares, list(size, 1, 10'000), required(),
                 "Share of each; their sum does not matter.")
          .field("by", &TableSizesSpec::by, choice({"number", "mass"}), with_default("number"),
                 "Whether they are shares of the number or of the mass.")
          .done();
  return Object<SizesSpec>(
             "sizes",
             "How the members of a set differ in size, as factors on the shape that is "
             "given.")
      .field("uniform", &SizesSpec::uniform, uniform, optional(), "Equally likely sizes.")
      .field("normal", &SizesSpec::normal, normal, optional(), "Normal distribution.")
      .field("log_normal", &SizesSpec::log_normal, log_normal, optional(),
             "Log-normal distribution.")
      .field("table", &SizesSpec::table, table, optional(), "Sizes with shares.")
      .exactly_one({"uniform", "normal", "log_normal", "table"})
      .done();
}

}  // namespace talus::scene::detail
