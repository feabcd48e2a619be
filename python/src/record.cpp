#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <talus/record/reader.hpp>
#include <talus/record/series.hpp>
#include <talus/view/page.hpp>

#include "arrays.hpp"
#include "binding.hpp"

// Records for talus/records.py. All with the interpreter's lock: HDF5 is not made for threads, and
// h5py may use the same library.

namespace talus::python {
namespace {

using record::RecordReader;

py::array to_array(record::Array&& array) { return owned(std::move(array.values), array.shape); }

py::array column(std::vector<Real>&& values) {
  const auto size = static_cast<Index>(values.size());
  return owned(std::move(values), {size});
}

py::list series_names(const RecordReader& reader) {
  py::list names;
  for (const record::SeriesName& series : record::series_names(reader))
    names.append(py::make_tuple(series.name, series.unit, series.meaning));
  return names;
}

py::list read_series(const RecordReader& reader, py::object name) {
  py::list all;
  for (record::SeriesData& series : record::read_series(reader, to_text("name", name)))
    all.append(py::make_tuple(series.name, series.unit, column(std::move(series.time)),
                              column(std::move(series.value))));
  return all;
}

py::array rows(const RecordReader& reader, const std::string& dataset, Index first, Index count) {
  const Index length = reader.shape(dataset).empty() ? 0 : reader.shape(dataset).front();
  if (first < 0 || count < 0 || first > length || count > length - first)
    refuse(dataset, fmt::format("expected rows of 0 to {}, got {} from {}", length, count, first));
  return to_array(reader.rows(dataset, first, count));
}

std::string export_page(const std::filesystem::path& record, const std::filesystem::path& target,
                        Index every, std::string page) {
  if (page.empty()) page = view::load_page();
  view::export_page(record, target, page, every);
  return target.string();
}

}  // namespace

void bind_record(py::module_& module) {
  py::class_<RecordReader>(module, "Reader", "An open record file (talus.Record).")
      .def(py::init<const std::filesystem::path&>(), py::arg("path"))
      .def_property_readonly("title", &RecordReader::title)
      .def_property_readonly("status", &RecordReader::status)
      .def_property_readonly("frame_count", &RecordReader::frame_count)
      .def_property_readonly("step_count", &RecordReader::step_count)
      .def("body_names", &RecordReader::body_names)
      .def("datasets", &RecordReader::datasets)
      .def("has", &RecordReader::has, py::arg("dataset"))
      .def("has_contacts", &RecordReader::has_contacts, py::arg("frame"))
      .def_property_readonly("contacts_every", &RecordReader::contacts_every)
      .def("texts", &RecordReader::texts, py::arg("dataset"))
      .def(
          "note",
          [](const RecordReader& r, const std::string& object, const std::string& name) {
            return r.note(object, name.c_str());
          },
          py::arg("object"), py::arg("name"))
      .def(
          "array",
          [](const RecordReader& r, const std::string& name) { return to_array(r.array(name)); },
          py::arg("dataset"))
      .def("rows", &rows, py::arg("dataset"), py::arg("first"), py::arg("count"))
      .def("series_names", &series_names)
      .def("read_series", &read_series, py::arg("name"));
  module.def("export_page", &export_page, py::arg("record"), py::arg("target"), py::arg("every"),
             py::arg("page"));
}

}  // namespace talus::python
