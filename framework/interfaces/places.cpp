// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/places.hpp"

#include <dlfcn.h>
#include <hwloc.h>

#include <exception>
#include <stdexcept>

#include "framework/interfaces/sysfs.hpp"

namespace hawser::interfaces {
namespace {

// hwloc's functions, found at run time: most processes never need them, and none shall depend on them. What
// is not there throws. Never unloaded: what it loaded itself may have left threads or handlers behind.
class Hwloc {
 public:
  explicit Hwloc(const std::string& name)
      : library_(::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)) {
    if (!library_) throw std::runtime_error(::dlerror());
  }

 private:
  template <class Function>
  Function find(const char* symbol) const {
    void* found = ::dlsym(library_, symbol);
    if (!found) throw std::runtime_error(::dlerror());
    return reinterpret_cast<Function>(found);
  }

  void* library_;

 public:
// NOLINTBEGIN(bugprone-macro-parentheses): the name is declared
#define HAWSER_HWLOC(function) \
  decltype(&::hwloc_##function) function = find<decltype(&::hwloc_##function)>("hwloc_" #function)
  // NOLINTEND(bugprone-macro-parentheses)

  HAWSER_HWLOC(get_api_version);
  HAWSER_HWLOC(topology_init);
  HAWSER_HWLOC(topology_destroy);
  HAWSER_HWLOC(topology_load);
  HAWSER_HWLOC(topology_set_flags);
  HAWSER_HWLOC(topology_set_components);
  HAWSER_HWLOC(topology_set_type_filter);
  HAWSER_HWLOC(topology_set_cache_types_filter);
  HAWSER_HWLOC(topology_get_topology_nodeset);
  HAWSER_HWLOC(get_obj_by_depth);
  HAWSER_HWLOC(bitmap_weight);
  HAWSER_HWLOC(bitmap_first);
  HAWSER_HWLOC(bitmap_isset);
  HAWSER_HWLOC(bitmap_isequal);
#undef HAWSER_HWLOC
};

class Topology {
 public:
  explicit Topology(const Hwloc& hwloc) : hwloc_(hwloc) {
    if (hwloc_.topology_init(&topology_) != 0) topology_ = nullptr;
  }
  ~Topology() {
    if (topology_) hwloc_.topology_destroy(topology_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  bool load() {
    if (!topology_) return false;
    leave_out_the_costly();
    return hwloc_.topology_load(topology_) == 0;
  }

  Places places(const std::vector<bool>& own_cores) const {
    Places result;
    for (unsigned i = 0;; ++i) {
      const auto device = hwloc_.get_obj_by_depth(topology_, HWLOC_TYPE_DEPTH_OS_DEVICE, i);
      if (!device) return result;
      if (!device->name || !device->attr || device->attr->osdev.type != HWLOC_OBJ_OSDEV_NETWORK) continue;
      const Place place = place_of(device, own_cores);
      if (place != Place{}) result[device->name] = place;
    }
  }

 private:
  // What is refused here (an older or newer hwloc) only costs time, so answers do not matter. PCI devices are
  // left out as hwloc reads the long list of their names; network devices find their place without. GPU
  // libraries and the walk over all cores would cost more than all the rest.
  void leave_out_the_costly() {
    hwloc_.topology_set_flags(topology_,
                              HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING | HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                  HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
    for (const char* component : {"x86", "pci", "opencl", "cuda", "nvml", "rsmi", "levelzero", "gl"}) {
      hwloc_.topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
    }
    hwloc_.topology_set_cache_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_.topology_set_type_filter(topology_, HWLOC_OBJ_OS_DEVICE, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  }

  // Devices have no sets of their own: the first object above that has one says what is nearby.
  Place place_of(hwloc_obj_t device, const std::vector<bool>& own_cores) const {
    hwloc_obj_t above = device->parent;
    while (above && !above->cpuset) above = above->parent;
    Place place;
    if (!above || !above->nodeset) return place;
    const bool all = hwloc_.bitmap_isequal(above->nodeset, hwloc_.topology_get_topology_nodeset(topology_));
    if (all) return place;
    if (hwloc_.bitmap_weight(above->nodeset) == 1) place.numa_node = hwloc_.bitmap_first(above->nodeset);
    if (!own_cores.empty()) place.locality = Locality::kFar;
    for (unsigned core = 0; core < own_cores.size(); ++core) {
      if (own_cores[core] && hwloc_.bitmap_isset(above->cpuset, core)) place.locality = Locality::kNear;
    }
    return place;
  }

  const Hwloc& hwloc_;
  hwloc_topology_t topology_ = nullptr;
};

}  // namespace

Result<Places> read_places(const std::vector<bool>& own_cores, const std::string& library) {
  try {
    const Hwloc hwloc(library);
    if (hwloc.get_api_version() >> 16 != HWLOC_API_VERSION >> 16) {
      return make_error(Errc::kUnsupported, "{} is of another major version", library);
    }
    Topology topology(hwloc);
    if (!topology.load()) return make_error(Errc::kSystem, "hwloc cannot read this machine");
    return topology.places(own_cores);
  } catch (const std::exception& failure) {
    return make_error(Errc::kUnsupported, "{} cannot be used: {}", library, failure.what());
  }
}

const Places& kept_places() {
  static const Places* const kept = [] {
    auto places = read_places(own_cores());
    return new Places(places ? std::move(*places) : Places());
  }();
  return *kept;
}

}  // namespace hawser::interfaces
