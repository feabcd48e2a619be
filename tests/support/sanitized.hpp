#pragma once

// TALUS_IS_SANITIZED: whether this file is compiled for the address or the thread sanitizer. Their
// malloc must not be replaced, and their operator new ends the program where it should throw.
// g++ defines __SANITIZE_ADDRESS__, __SANITIZE_THREAD__; clang has __has_feature, which headers of
// libraries define as 0 for g++.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TALUS_IS_SANITIZED 1
#elif defined(__clang__)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TALUS_IS_SANITIZED 1
#else
#define TALUS_IS_SANITIZED 0
#endif
#else
#define TALUS_IS_SANITIZED 0
#endif
