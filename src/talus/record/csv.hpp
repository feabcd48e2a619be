#pragma once

#include <iosfwd>
#include <string>

#include <talus/record/reader.hpp>

namespace talus::record {

/// Writes series of a record as CSV, one row per step, frame or contact, with a heading that names
/// columns and units. Numbers are written so that they read back bit for bit.
///
/// @param selection a group ("energies"), a dataset ("energies/kinetic") or a name of read_series
/// ("momentum/linear.x", "joint.pin.force.x", "body.crate.speed"). Per-step and
/// per-frame series start with the columns step and time, contacts with those of their frame.
/// Per-body series have one row per frame and body.
/// @throws InputError if the record has no such series, with the ones it has.
void write_series_csv(const RecordReader& record, const std::string& selection, std::ostream& out);

/// Writes pose and velocity of one body in every frame.
/// @throws InputError if there is no body of that name.
void write_body_csv(const RecordReader& record, const std::string& body_name, std::ostream& out);

/// The samples of a probe: step, time, and its columns.
/// @throws InputError if there is no such probe.
void write_probe_csv(const RecordReader& record, const std::string& probe, std::ostream& out);

}  // namespace talus::record
