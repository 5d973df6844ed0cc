# SPDX-License-Identifier: MIT
# Port for vcpkg, not tested. packaging/release fills in version and checksum; put the archive of the sources where
# vcpkg keeps its downloads, or replace its name by the address where the release is published.
set(VERSION "@VERSION@")
set(ARCHIVE "${DOWNLOADS}/carom-${VERSION}.tar.xz")
file(SHA512 "${ARCHIVE}" FOUND)
if(NOT FOUND STREQUAL "@SHA512@")
  message(FATAL_ERROR "${ARCHIVE} is not the archive of Carom ${VERSION}")
endif()
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

vcpkg_configure_meson(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -Djson=enabled -Dtests=disabled -Dtools=disabled -Ddevice=disabled)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(PACKAGE_NAME carom CONFIG_PATH lib/cmake/carom)

# The build makes both libraries; a triplet has one of them.
if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")
  file(GLOB SHARED "${CURRENT_PACKAGES_DIR}/lib/libcarom.so*" "${CURRENT_PACKAGES_DIR}/debug/lib/libcarom.so*")
  file(REMOVE ${SHARED})
else()
  file(REMOVE "${CURRENT_PACKAGES_DIR}/lib/libcarom.a" "${CURRENT_PACKAGES_DIR}/debug/lib/libcarom.a")
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")

vcpkg_install_copyright(FILE_LIST
  "${SOURCE_PATH}/LICENSE"
  "${SOURCE_PATH}/licenses/fdlibm.txt"
  "${SOURCE_PATH}/licenses/jansson.txt"
  "${SOURCE_PATH}/licenses/simde.txt")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
