#include "ratios/measured.hpp"

extern "C" void measured(const std::function<void()>& run) { run(); }
