# cmake -P: builds viewer/ into OUTPUT, a C file with the page that reports are written into. Does nothing when nothing
# has changed. Without npm, or when npm fails, the C file holds no page: everything else builds, and `lilyan report` says
# what to do; the next build tries again.
#   SOURCE  the folder viewer/      WORK  a folder to build in      OUTPUT  the C file      DEV  also what tests need
#   NPM     the command, or ...-NOTFOUND

function(write_if_changed text)
    set(old "")
    if(EXISTS ${OUTPUT})
        file(READ ${OUTPUT} old)
    endif()
    if(NOT old STREQUAL text)
        file(WRITE ${OUTPUT} "${text}")
    endif()
endfunction()

function(without_page why)
    message(STATUS "lilyan report will not work: ${why}")
    write_if_changed("#include \"record/page/viewer.h\"\nconst unsigned char lil_viewer_page[] = { 0 };\nconst size_t lil_viewer_page_size = 0;\n")
    file(REMOVE ${WORK}/stamp)
endfunction()

if(NOT NPM)
    without_page("npm is missing; install it and run make again")
    return()
endif()

file(GLOB_RECURSE inputs ${SOURCE}/*.js ${SOURCE}/*.mjs ${SOURCE}/*.json ${SOURCE}/*.html ${SOURCE}/*.css)
list(APPEND inputs ${CMAKE_CURRENT_LIST_FILE})
list(SORT inputs)
set(hashes "${DEV}")
foreach(input IN LISTS inputs)
    file(SHA256 ${input} hash)
    string(APPEND hashes "\n${hash} ${input}")
endforeach()
set(stamp "")
if(EXISTS ${WORK}/stamp AND EXISTS ${OUTPUT})
    file(READ ${WORK}/stamp stamp)
endif()
if(stamp STREQUAL hashes)
    return()
endif()

# packages, from the lockfile alone; kept as long as it stays the same
file(SHA256 ${SOURCE}/package-lock.json lock)
set(lock "${lock} ${DEV}")
set(installed "")
if(EXISTS ${WORK}/installed)
    file(READ ${WORK}/installed installed)
endif()
if(NOT installed STREQUAL lock)
    file(MAKE_DIRECTORY ${WORK})
    file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${WORK})
    set(omit --omit=dev)
    if(DEV)
        set(omit)
    endif()
    execute_process(COMMAND ${NPM} ci ${omit} --ignore-scripts --prefer-offline --no-audit --no-fund --fetch-retries=1
                    WORKING_DIRECTORY ${WORK} RESULT_VARIABLE code OUTPUT_VARIABLE log ERROR_VARIABLE log)
    if(NOT code EQUAL 0)
        without_page("npm ci failed:\n${log}")
        return()
    endif()
    file(WRITE ${WORK}/installed "${lock}")
endif()

execute_process(COMMAND ${NODE} ${SOURCE}/build.mjs ${WORK} ${OUTPUT} RESULT_VARIABLE code
                OUTPUT_VARIABLE log ERROR_VARIABLE log)
if(NOT code EQUAL 0)
    without_page("esbuild failed:\n${log}")
    message(FATAL_ERROR "viewer/ does not build")
endif()
file(WRITE ${WORK}/stamp "${hashes}")
