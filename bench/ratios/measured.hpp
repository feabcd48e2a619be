#pragma once

#include <functional>

/// Runs it; callgrind collects inside this function (--toggle-collect=measured), which stands in a
/// file of its own so that no compiler makes copies of it.
extern "C" void measured(const std::function<void()>& run);
