#pragma once

// TALUS_IS_SANITIZED: whether this file is compiled for the address or the thread sanitizer. Their
// malloc must not be replaced, and their operator new ends the program where it should throw.
#if defined(__has_feature)  // of clang; g++ defines __SANITIZE_ADDRESS__, __SANITIZE_THREAD__
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TALUS_IS_SANITIZED 1
#else
#define TALUS_IS_SANITIZED 0
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TALUS_IS_SANITIZED 1
#else
#define TALUS_IS_SANITIZED 0
#endif
