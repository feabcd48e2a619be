#include <talus/scene/detail/spec.hpp>

// How bodies that come in and go out are written.

namespace talus::scene::detail {

Typed<SourceSpec> source_type(const Typed<ShapeSpec>& shape) {
  return Object<SourceSpec>(
             "source",
             "Bodies of one shape that come in one after the other, in their order: each is put at "
             "a random place of the region when it is due. One that finds no place waits, and "
             "those "
             "behind it; the summary counts them as late. Until then a body is not there: it "
             "touches nothing and has no part in any measurement.")
      .field("shape", &SourceSpec::shape, shape, required(), "Shape of each member.")
      .field("count", &SourceSpec::count, integer(kCount), required(), "Members in all.")
      .field("rate", &SourceSpec::rate, number(Quantity::rate, kPositive), optional(),
             "Members per time: so long after the start, rate times time of them are due, rounded "
             "down.")
      .field("mass_rate", &SourceSpec::mass_rate, number(Quantity::mass_rate, kPositive),
             optional(), "Mass per time: a member is due when it and those before it weigh that.")
      .field("start", &SourceSpec::start, number(Quantity::time, kNonNegative), with_default("0"),
             "When it begins.")
      .field("region", &SourceSpec::region, region_type(), required(),
             "Where they come in: it holds the whole bodies.")
      .field("gap", &SourceSpec::gap, number(Quantity::length, kNonNegative), with_default("0"),
             "Least distance of a new body's bounding ball from every other body: from balls and "
             "the shapes of bodies that forces do not move, and from the bounding balls of others.")
      .field("velocity_spread", &SourceSpec::velocity_spread,
             number(Quantity::velocity, kNonNegative), with_default("0"),
             "To every component of the velocity a number drawn from [−spread, spread] is added.")
      .field("sizes", &SourceSpec::sizes, sizes_type(), optional(),
             "Distribution of the members' sizes.")
      .field("size_spread", &SourceSpec::size_spread, number(Quantity::ratio, kBelowOne),
             with_default("0"),
             "Every member is scaled by a factor drawn from [1 − spread, 1 + spread].")
      .field("random_orientation", &SourceSpec::random_orientation, boolean(),
             with_default("false"), "Whether every member is turned at random.")
      .field("seed", &SourceSpec::seed, integer(kSeed), with_default("1"),
             "Seed of the random numbers; the same seed gives the same bodies on every machine.")
      .exactly_one({"rate", "mass_rate"})
      .at_most_one({"sizes", "size_spread"})
      .done();
}

Typed<SinkSpec> sink_type() {
  const auto region =
      Object<OpenRegionSpec>("open region",
                             "A box along the world's axes, without end where it has no bound.")
          .field("min", &OpenRegionSpec::min, bounds3(Quantity::length), optional(),
                 "Lowest corner.")
          .field("max", &OpenRegionSpec::max, bounds3(Quantity::length), optional(),
                 "Highest corner.")
          .done();
  return Object<SinkSpec>(
             "sink",
             "Takes bodies out, for good: those whose centre is there after a step have no part in "
             "the next one. It takes free bodies: none that a joint, a drive or a force element "
             "holds.")
      .field("name", &SinkSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("region", &SinkSpec::region, region, optional(), "It takes what is in this region.")
      .field("outside", &SinkSpec::outside, region, optional(),
             "It takes what is not in this region.")
      .field("bodies", &SinkSpec::bodies, list(name(), 1, 1000, /*single_stands_for_list=*/true),
             optional(),
             "Bodies and sets that it takes; without it all dynamic bodies that are free.")
      .exactly_one({"region", "outside"})
      .done();
}

}  // namespace talus::scene::detail
