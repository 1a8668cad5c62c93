// A Vulkan driver that is another one, under SwiftShader's name: Chromium takes no other that computes on the CPU.
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

typedef void (*Function)(void);
typedef void (*Describe)(void *device, void *properties);

static Function (*instance_function)(void *, const char *);
static Function (*device_function)(void *, const char *);
static int (*negotiate)(uint32_t *);
static Describe describe, describe2;

static void load(void) {
  if (instance_function) return;
  void *driver = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL);
  if (!driver) return;
  device_function = (void *)dlsym(driver, "vk_icdGetPhysicalDeviceProcAddr");
  negotiate = (void *)dlsym(driver, "vk_icdNegotiateLoaderICDInterfaceVersion");
  instance_function = (void *)dlsym(driver, "vk_icdGetInstanceProcAddr");
}

// VkPhysicalDeviceProperties: apiVersion, driverVersion, vendorID, deviceID, ...
static void rename_device(uint32_t *properties) {
  properties[2] = 0x1AE0;
  properties[3] = 0xC0DE;
}

static void described(void *device, void *properties) {
  describe(device, properties);
  rename_device(properties);
}

// VkPhysicalDeviceProperties2: sType and pNext before them.
static void described2(void *device, void *properties) {
  describe2(device, properties);
  rename_device((uint32_t *)((char *)properties + 16));
}

SHOWN Function vkGetInstanceProcAddr(void *instance, const char *name) {
  load();
  if (!instance_function) return 0;
  if (!strcmp(name, "vkGetInstanceProcAddr")) return (Function)vkGetInstanceProcAddr;
  Function found = instance_function(instance, name);
  if (found && !strcmp(name, "vkGetPhysicalDeviceProperties")) {
    describe = (Describe)found;
    return (Function)described;
  }
  if (found && !strncmp(name, "vkGetPhysicalDeviceProperties2", 30)) {
    describe2 = (Describe)found;
    return (Function)described2;
  }
  return found;
}

SHOWN Function vk_icdGetInstanceProcAddr(void *instance, const char *name) {
  return vkGetInstanceProcAddr(instance, name);
}

SHOWN Function vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
  load();
  if (!strncmp(name, "vkGetPhysicalDeviceProperties", 29)) return vkGetInstanceProcAddr(instance, name);
  return device_function ? device_function(instance, name) : 0;
}

SHOWN int vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
  load();
  return negotiate ? negotiate(version) : -9;  // VK_ERROR_INCOMPATIBLE_DRIVER
}
