# find_package first; a pinned download only where the package is missing.
include(FetchContent)
find_package(Threads REQUIRED)

macro(attnroof_dependency package target repository tag)
  find_package(${package} QUIET)
  if(NOT TARGET ${target})
    message(STATUS "${package}: not installed, fetching ${tag}")
    FetchContent_Declare(${package} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON SYSTEM)
    FetchContent_MakeAvailable(${package})
  endif()
endmacro()

attnroof_dependency(fmt fmt::fmt https://github.com/fmtlib/fmt.git 9.1.0)
attnroof_dependency(CLI11 CLI11::CLI11 https://github.com/CLIUtils/CLI11.git v2.3.2)
attnroof_dependency(nlohmann_json nlohmann_json::nlohmann_json
                    https://github.com/nlohmann/json.git v3.11.3)
if(ATTNROOF_TESTS)
  # Version 2 and 3 both work; tests/catch.h hides the difference.
  attnroof_dependency(Catch2 Catch2::Catch2 https://github.com/catchorg/Catch2.git v3.7.1)
endif()
