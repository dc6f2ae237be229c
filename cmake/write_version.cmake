# Run at build time: writes version.h only when its content changes.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE sha OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  set(sha "")
endif()
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
                OUTPUT_VARIABLE changes ERROR_QUIET)
set(dirty false)
if(NOT "${changes}" STREQUAL "")
  set(dirty true)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"#pragma once

namespace attnroof::build {

inline constexpr const char* version = \"${VERSION}\";
inline constexpr const char* git_sha = \"${sha}\";
inline constexpr bool git_dirty = ${dirty};
inline constexpr const char* compiler = \"${COMPILER}\";
inline constexpr const char* nvcc = \"${NVCC}\";  // empty without CUDA

}  // namespace attnroof::build
")
