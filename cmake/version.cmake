# Text that is compiled in: the shipped configs, the page, the version and the commit.

# FOLDER/*.json become generated/embedded_FOLDER.cpp, so that the binary needs no file beside it.
function(attnroof_embed_configs target folder)
  file(GLOB configs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.json)
  set(rows "")
  foreach(path ${configs})
    get_filename_component(stem ${path} NAME_WE)
    file(READ ${path} text)
    string(APPEND rows "    {\"${stem}\", R\"config(${text})config\"},\n")
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/embedded_${folder}.cpp CONTENT
"#include \"config/embedded.h\"

namespace attnroof {

const std::vector<EmbeddedConfig>& embedded_@folder@() {
    static const std::vector<EmbeddedConfig> rows{
@rows@    };
    return rows;
}

}  // namespace attnroof
" @ONLY)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_${folder}.cpp)
endfunction()

# src/report/page/ becomes generated/html_page.cpp: the page of `-o report.html` needs no file either.
function(attnroof_embed_page target)
  set(folder ${PROJECT_SOURCE_DIR}/src/report/page)
  set(scripts dom filters chart tip roofline growth table facts main)
  list(TRANSFORM scripts APPEND .js)
  set(functions "")
  foreach(part template style script)
    set(files_template page.html)
    set(files_style style.css)
    set(files_script ${scripts})
    # One literal a file: compilers limit the length of one.
    set(literals "")
    foreach(file ${files_${part}})
      file(READ ${folder}/${file} text)
      string(APPEND literals "\n        R\"page(${text})page\"")
      set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${file})
    endforeach()
    string(APPEND functions "std::string page_${part}() {\n    return${literals};\n}\n\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/html_page.cpp CONTENT
"#include \"report/html_page.h\"

namespace attnroof {

@functions@}  // namespace attnroof
" @ONLY)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/html_page.cpp)
endfunction()

# schema/report.schema.json becomes generated/embedded_schema.cpp.
function(attnroof_embed_schema target)
  set(path ${PROJECT_SOURCE_DIR}/schema/report.schema.json)
  file(READ ${path} text)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/embedded_schema.cpp CONTENT
"#include \"report/schema.h\"

namespace attnroof {

const char* report_schema() { return R\"schema(@text@)schema\"; }

}  // namespace attnroof
" @ONLY)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_schema.cpp)
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
