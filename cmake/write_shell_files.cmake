# Run at build time: asks the binary for its man page and completions.
file(MAKE_DIRECTORY ${FOLDER})
function(write_from file)
  execute_process(COMMAND ${ATTNROOF} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
write_from(attnroof.1 man)
write_from(attnroof.bash completion bash)
write_from(_attnroof completion zsh)
write_from(attnroof.fish completion fish)
