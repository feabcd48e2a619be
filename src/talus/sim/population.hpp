#pragma once

#include <span>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::sim {

/// Puts bodies in and takes them out between two steps, as the sources and sinks of a model say.
///
/// First the sinks take what is theirs. Then every source puts in what is due, in the order of its
/// set: each body at the first of kTries random places in its region where its bounding ball is
/// farther than the gap from every body that is there: from balls, and from the shapes of bodies
/// that forces do not move, exactly (a place deep inside of a closed mesh or of a pipe is free: the
/// surface is far); from other bodies by their bounding balls. If there is none, it and those
/// behind it wait for the next step.
/// All of it follows from the state and the count of steps: the random numbers of a body are those
/// of (seed, place in the set, step), so a resumed run equals an uninterrupted one.
/// Neither contacts nor the way of what moves are looked ahead. Cost: one look at every body where
/// something is due or can be taken out; then, per body that is due, its tries times the bodies
/// near.
class Population {
 public:
  static constexpr int kTries = 200;

  /// The model must outlive this object.
  explicit Population(const model::Model& model);

  /// The next state does not follow from the last one: bodies may wait again that had come in.
  void start() { waiting_.assign(waiting_.size(), 0); }
  /// @param state after `step` steps, in and out; without sources and sinks left as it is.
  model::PopulationChange update(model::State& state, Index step);
  /// Bodies that the last update has put in.
  [[nodiscard]] std::span<const Index> entered() const { return entered_; }

 private:
  void take_out(const model::Sink& sink, model::State& state, model::Flow& out) const;
  /// Bodies `first` to `due` − 1 of the set, as far as there is room.
  void put_in(const model::Source& source, Index first, Index due, Index step, model::State& state,
              model::Flow& in);

  const model::Model& model_;
  std::vector<Real> radius_;    // of the bounding balls about the centres of mass
  std::vector<Index> waiting_;  // per source: those before this one have come in
  std::vector<Index> entered_;
};

}  // namespace talus::sim
