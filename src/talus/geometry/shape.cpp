#include <talus/geometry/shape.hpp>
