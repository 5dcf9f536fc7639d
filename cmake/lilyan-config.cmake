# find_package(lilyan) gives lilyan::lilyan (shared) and lilyan::static.
include(${CMAKE_CURRENT_LIST_DIR}/lilyan-dependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/lilyan-targets.cmake)
