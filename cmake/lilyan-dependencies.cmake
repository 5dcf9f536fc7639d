# What liblilyan links, as the one target lilyan::dependencies. Used by our build and, installed, by find_package(lilyan).
find_package(PkgConfig REQUIRED)
pkg_check_modules(LILYAN_YAML REQUIRED IMPORTED_TARGET yaml-0.1)

# The serial HDF5: where an MPI one is installed as well (petsc-dev brings it), plain 'hdf5' may be that one.
pkg_search_module(LILYAN_HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
if(LILYAN_HDF5_LIBRARIES MATCHES "mpi" OR LILYAN_HDF5_INCLUDE_DIRS MATCHES "mpi")
    message(FATAL_ERROR "Lilyan needs the serial HDF5, found only ${LILYAN_HDF5_LINK_LIBRARIES}")
endif()

# SuiteSparse 5 (Debian 12) has neither pkg-config files nor a CMake package. KLU needs btf, colamd and amd.
set(LILYAN_SUITESPARSE ldl klu btf colamd amd suitesparseconfig)
find_path(LILYAN_SUITESPARSE_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)
set(_suitesparse)
foreach(_name IN LISTS LILYAN_SUITESPARSE)
    find_library(LILYAN_${_name}_LIBRARY ${_name} REQUIRED)
    mark_as_advanced(LILYAN_${_name}_LIBRARY)
    list(APPEND _suitesparse ${LILYAN_${_name}_LIBRARY})
endforeach()
mark_as_advanced(LILYAN_SUITESPARSE_INCLUDE_DIR)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

if(NOT TARGET lilyan::dependencies)
    add_library(lilyan::dependencies INTERFACE IMPORTED)
    target_include_directories(lilyan::dependencies INTERFACE ${LILYAN_SUITESPARSE_INCLUDE_DIR})
    target_link_libraries(lilyan::dependencies INTERFACE PkgConfig::LILYAN_HDF5 PkgConfig::LILYAN_YAML ${_suitesparse}
                          Threads::Threads m)
endif()
