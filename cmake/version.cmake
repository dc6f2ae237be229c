# Text that is compiled in: the shipped configs, the version and the commit.

# configs/*.json become generated/embedded_configs.cpp, so that the binary needs no file beside it.
function(attnroof_embed_configs target)
  file(GLOB configs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/configs/*.json)
  set(rows "")
  foreach(path ${configs})
    get_filename_component(stem ${path} NAME_WE)
    file(READ ${path} text)
    string(APPEND rows "    {\"${stem}\", R\"config(${text})config\"},\n")
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/embedded_configs.cpp CONTENT
"#include \"config/embedded.h\"

namespace attnroof {

const std::vector<EmbeddedConfig>& embedded_configs() {
    static const std::vector<EmbeddedConfig> rows{
@rows@    };
    return rows;
}

}  // namespace attnroof
" @ONLY)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_configs.cpp)
endfunction()

# version.h holds the version, the commit and the compilers, asked at every build.
function(attnroof_embed_version target)
  add_custom_target(attnroof_version
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
            -DOUTPUT=${PROJECT_BINARY_DIR}/generated/version.h -DVERSION=${PROJECT_VERSION}
            "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
            "-DNVCC=${CUDAToolkit_VERSION}" -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
    BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/version.h)
  add_dependencies(${target} attnroof_version)
endfunction()
