#pragma once

#include <talus/certify/certificate.hpp>

namespace talus::certify {

/// The worse of two certificates, residual by residual: it meets a tolerance only if both do.
/// @param first place of the other's first contact among those of both; −1: the other's contacts
/// are not among them, and where they are the worse there is no worst contact.
[[nodiscard]] Certificate worse_of(const Certificate& one, const Certificate& other, Index first);

}  // namespace talus::certify
