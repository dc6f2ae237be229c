// As catch_main.cpp, but a run on a machine with no GPU ends in 77, which CTest reports as skipped.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char** argv) {
    bool listing = false;
    for (int i = 1; i < argc; ++i) listing = listing || std::strncmp(argv[i], "--list", 6) == 0;
    int devices = 0;
    if (!listing && (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)) {
        std::puts("skipped: no CUDA device");
        return 77;
    }
    return Catch::Session().run(argc, argv);
}
