# The CUDA half of the build: compiler search, architectures, kernel libraries.

set(ATTNROOF_HAVE_CUDA OFF)
if(NOT ATTNROOF_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  find_program(ATTNROOF_NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_PATH PATH_SUFFIXES bin)
  if(ATTNROOF_NVCC AND NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${ATTNROOF_NVCC})
  endif()
  # Before enable_language: CMake's own default is older than what nvcc 13 still compiles for.
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES "80;90a-real")
  endif()
  if(ATTNROOF_NVCC)
    enable_language(CUDA)
    # CMake 3.25 knows no C++20 for nvcc, which has it since CUDA 12.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(ATTNROOF_HAVE_CUDA ON)
  elseif(ATTNROOF_CUDA STREQUAL "ON")
    message(FATAL_ERROR "ATTNROOF_CUDA=ON, but nvcc was not found; put it on PATH or set CUDA_PATH")
  endif()
endif()
if(ATTNROOF_HAVE_CUDA)
  message(STATUS "CUDA ${CUDAToolkit_VERSION}: building the cuda and cpu backends")
else()
  message(STATUS "No CUDA compiler: building the cpu backend and all offline commands")
endif()

# nvcc: warnings are errors; ptxas: a register spill is an error too.
set(ATTNROOF_NVCC_OPTIONS -Xcompiler=-Wall,-Wextra --expt-relaxed-constexpr
    -Xptxas=--warn-on-spills)
if(ATTNROOF_WERROR)
  list(APPEND ATTNROOF_NVCC_OPTIONS -Xcompiler=-Werror --Werror=all-warnings -Xptxas=--warning-as-error)
endif()

function(attnroof_cuda_library name)
  add_library(${name} STATIC ${ARGN})
  set_target_properties(${name} PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON
                                           CUDA_RUNTIME_LIBRARY Static)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${ATTNROOF_NVCC_OPTIONS}>)
  target_link_libraries(${name} PUBLIC attnroof_options fmt::fmt CUDA::cudart_static)
endfunction()

function(attnroof_add_cuda)
  # A file's suffix names its architecture: *_sm90.cu uses Hopper's own instructions.
  file(GLOB_RECURSE portable CONFIGURE_DEPENDS kernels/cuda/*.cu src/backend/cuda/*.cu)
  file(GLOB_RECURSE hopper CONFIGURE_DEPENDS kernels/cuda/*_sm90.cu)
  if(hopper)
    list(REMOVE_ITEM portable ${hopper})
    attnroof_cuda_library(attnroof_cuda_sm90 ${hopper})
    set_target_properties(attnroof_cuda_sm90 PROPERTIES CUDA_ARCHITECTURES 90a-real)
    target_link_libraries(attnroof_kernels PUBLIC attnroof_cuda_sm90)
  endif()
  if(portable)
    attnroof_cuda_library(attnroof_cuda_portable ${portable})
    target_link_libraries(attnroof_kernels PUBLIC attnroof_cuda_portable)
  endif()
  target_compile_definitions(attnroof_kernels PUBLIC ATTNROOF_WITH_CUDA)

  # Host code of the backend: CUDA runtime calls, CUPTI and NVML (both loaded at run time).
  file(GLOB backend CONFIGURE_DEPENDS src/backend/cuda/*.cpp)
  target_sources(attnroof_tool PRIVATE ${backend})
  target_link_libraries(attnroof_tool PUBLIC CUDA::cudart_static)
  # CUPTI's headers alone: some toolkits keep them apart from the others.
  find_path(ATTNROOF_CUPTI_INCLUDE cupti_profiler_host.h REQUIRED
            HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_TARGET_DIR}
                  ${CUDAToolkit_LIBRARY_ROOT}
            PATH_SUFFIXES extras/CUPTI/include include)
  target_include_directories(attnroof_tool SYSTEM PRIVATE ${ATTNROOF_CUPTI_INCLUDE})
endfunction()
