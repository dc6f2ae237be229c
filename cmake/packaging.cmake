# `cmake --install` and `cpack -G DEB`: binary, man page, completions, configs, schema.
include(GNUInstallDirs)

# The binary itself writes its man page and completions: they cannot lag behind its options.
set(shell_files ${PROJECT_BINARY_DIR}/shell)
set(man ${shell_files}/attnroof.1)
set(bash ${shell_files}/attnroof.bash)
set(zsh ${shell_files}/_attnroof)
set(fish ${shell_files}/attnroof.fish)
add_custom_command(
  OUTPUT ${man} ${bash} ${zsh} ${fish}
  COMMAND ${CMAKE_COMMAND} -DATTNROOF=$<TARGET_FILE:attnroof> -DFOLDER=${shell_files}
          -P ${PROJECT_SOURCE_DIR}/cmake/write_shell_files.cmake
  DEPENDS attnroof VERBATIM)
add_custom_target(attnroof_shell_files ALL DEPENDS ${man} ${bash} ${zsh} ${fish})

install(TARGETS attnroof RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${man} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${bash} RENAME attnroof
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${zsh} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${fish} DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/attnroof/configs)
install(FILES schema/report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/attnroof)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME attnroof)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGE_CONTACT "attnroof developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # asks the binary what it is linked to
include(CPack)
