#pragma once

#include <string>

#include <talus/scene/detail/schema.hpp>

namespace talus::scene::detail {

/// Fills a struct from a document as a schema says: the first walk over the schema. Mistakes go to
/// the problems; what is wrong keeps the value it had.
class Reader {
 public:
  /// @param dimension of the scene, 2 or 3.
  Reader(const Document& document, int dimension, Problems& problems)
      : document_(document), dimension_(dimension), problems_(problems) {}

  template <class T>
  void read(const Typed<T>& type, T& target) {
    read(*type.type, *document_.root, &target);
  }

 private:
  void read(const Type& type, const Node& node, void* target);
  void read_number(const Type& type, const Node& node, Real& target);
  void read_integer(const Type& type, const Node& node, Index& target);
  void read_boolean(const Type& type, const Node& node, bool& target);
  void read_text(const Type& type, const Node& node, std::string& target);
  void read_choice(const Type& type, const Node& node, void* target);
  void read_vector(const Type& type, const Node& node, Real* target);
  void read_inertia(const Type& type, const Node& node, Mat3& target);
  void read_list(const Type& type, const Node& node, void* target);
  void read_table(const Type& type, const Node& node, void* target);
  void read_object(const Type& type, const Node& node, void* target);
  void read_field(const Field& field, const Node& node, void* object);
  void read_fields(const Type& type, const Node& node, void* object);
  void check_rules(const Type& type, const Node& map, const std::vector<std::string>& meant);

  void problem(const Node& node, std::string message, std::string hint = "");
  void wrong(const Type& type, const Node& node, std::string hint = "");
  [[nodiscard]] Place place(const Node& node) const { return {&document_, &node, path_}; }

  const Document& document_;
  const int dimension_;
  Problems& problems_;
  std::string path_;  ///< of the node being read
};

/// Whether a value given by other means than a file (the command line) is allowed by a type. Gives
/// "" or what is wrong: `expected a positive time [s], got -1`.
[[nodiscard]] std::string mistake_in(const Type& type, Real value);
[[nodiscard]] std::string mistake_in(const Type& type, const std::string& word);

}  // namespace talus::scene::detail
