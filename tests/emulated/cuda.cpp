// libcuda.so for tests: emulates a GPU on the CPU. Work submitted to a stream runs immediately; captured launches run when their
// graph is launched. Out-of-bounds writes of a kernel are detected when the stream is synchronized.
//
// TPULANG_EMULATED is one of: old, none, forbidden, taken, full (from the context on), broken (the first launch),
// uncapturable, two (GPUs), newer or older (a GPU than the compiler supports), twelve (a driver for CUDA 12), slow (to
// report free memory), or the size of the memory in bytes, such as 1000000. With `verbose` it reports the graphs that it
// launches. The other libraries support `declining` (no algorithms) and `twelve`.
#include <dlfcn.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {
enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, UNAVAILABLE = 46, LAUNCH_FAILED = 719, OPERATING_SYSTEM = 304,
       NOT_PERMITTED = 800, ILLEGAL_ADDRESS = 700, TIMEOUT = 702, INVALID_IMAGE = 200, CAPTURE_UNSUPPORTED = 900 };
constexpr uint64_t GUARD = 256;
constexpr unsigned char GUARDED = 0xff;

struct Launch {
    int (*entry)(void**, const unsigned*);
    unsigned geometry[6];
    std::vector<std::vector<unsigned char>> values;
};
typedef std::function<int()> Work;
struct Graph {
    std::vector<Work> all;
};

std::mutex lock;
// Allocated sizes, by address.
std::map<uint64_t, size_t> memory;
// The GPU of each address.
std::map<uint64_t, int> owners;
int contexts[2];
thread_local int current = 0;
size_t allocated_bytes = 0;
int failed = OK;
// While a stream is captured, the work submitted to it is added to the graph.
struct Stream {
    Graph* capturing = nullptr;
};
// Whether this thread captures a stream; it must not allocate then.
thread_local bool is_capturing = false;

std::string mode() {
    const char* text = getenv("TPULANG_EMULATED");
    return text ? text : "";
}
size_t total_memory() {
    const long long n = atoll(mode().c_str());
    return n > 0 ? n : (size_t)8 << 30;
}
bool within(uint64_t address, size_t bytes) {
    std::lock_guard<std::mutex> guard(lock);
    auto next = memory.upper_bound(address);
    if (next == memory.begin()) return false;
    --next;
    const uint64_t at = address - next->first;
    return at <= next->second && bytes <= next->second - at;
}
int check_guards() {
    std::lock_guard<std::mutex> guard(lock);
    for (const auto& [address, bytes] : memory) {
        const auto* before = (const unsigned char*)address - GUARD;
        const auto* after = (const unsigned char*)address + bytes;
        for (uint64_t i = 0; i < GUARD; i++)
            if (before[i] != GUARDED || after[i] != GUARDED) return ILLEGAL_ADDRESS;
    }
    return OK;
}
int run(const Launch& launch) {
    std::vector<void*> pointers;
    for (const auto& value : launch.values) pointers.push_back((void*)value.data());
    return launch.entry(pointers.data(), launch.geometry) ? TIMEOUT : OK;
}
bool is_captured(void* stream) {
    std::lock_guard<std::mutex> guard(lock);
    return ((Stream*)stream)->capturing;
}
int submit(void* stream, Work work) {
    if (mode() == "broken") failed = LAUNCH_FAILED;
    if (failed) return failed;
    {
        std::lock_guard<std::mutex> guard(lock);
        if (Graph* graph = ((Stream*)stream)->capturing) {
            graph->all.push_back(std::move(work));
            return OK;
        }
    }
    const int code = work();
    if (code) failed = code;
    return code;
}
}  // namespace

// A kernel, and the size of each of its parameters in bytes, terminated by 0.
struct Function {
    int (*entry)(void**, const unsigned*);
    const unsigned char* sizes;
};

extern "C" {
int cuDriverGetVersion(int* version) {
    *version = mode() == "old" ? 11040 : mode() == "twelve" ? 12040 : 13000;
    return OK;
}
int cuInit(unsigned) { return mode() == "none" ? NO_DEVICE : mode() == "forbidden" ? OPERATING_SYSTEM : OK; }
int cuGetErrorName(int code, const char** name) {
    *name = code == OK                 ? "CUDA_SUCCESS"
            : code == OUT_OF_MEMORY    ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == NO_DEVICE        ? "CUDA_ERROR_NO_DEVICE"
            : code == UNAVAILABLE      ? "CUDA_ERROR_DEVICE_UNAVAILABLE"
            : code == OPERATING_SYSTEM ? "CUDA_ERROR_OPERATING_SYSTEM"
            : code == ILLEGAL_ADDRESS  ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : code == TIMEOUT          ? "CUDA_ERROR_LAUNCH_TIMEOUT"
            : code == LAUNCH_FAILED    ? "CUDA_ERROR_LAUNCH_FAILED"
            : code == CAPTURE_UNSUPPORTED ? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
                                       : "CUDA_ERROR_UNKNOWN";
    return OK;
}
int cuGetErrorString(int code, const char** text) {
    *text = code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
            : code == TIMEOUT       ? "the launch timed out and was terminated"
            : code == CAPTURE_UNSUPPORTED ? "operation not permitted when stream is capturing"
                                    : "unspecified launch failure";
    return OK;
}
int cuDeviceGetCount(int* count) {
    *count = mode() == "two" ? 2 : 1;
    return OK;
}
int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return OK;
}
int cuDeviceGetName(char* name, int length, int) {
    strncpy(name, "an emulated GPU", length);
    return OK;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
    // The compute capability; attribute 75 is the major version.
    *value = attribute != 75 ? 0 : mode() == "newer" ? 15 : mode() == "older" ? 5 : 9;
    return OK;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
    *context = (void*)&contexts[device];
    return mode() == "full" ? OUT_OF_MEMORY : mode() == "taken" ? UNAVAILABLE : OK;
}
int cuDevicePrimaryCtxRelease_v2(int) { return OK; }
int cuCtxSetCurrent(void* context) {
    current = (int)((int*)context - contexts);
    return OK;
}
int cuPointerGetAttribute(void* data, int attribute, uint64_t address) {
    // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    if (attribute != 9) return INVALID;
    std::lock_guard<std::mutex> guard(lock);
    auto next = memory.upper_bound(address);
    if (next == memory.begin() || address - (--next)->first >= next->second) return INVALID;
    *(int*)data = owners[next->first];
    return OK;
}
int cuStreamCreate(void** stream, unsigned) {
    *stream = new Stream();
    return OK;
}
int cuStreamDestroy_v2(void* stream) {
    delete (Stream*)stream;
    return OK;
}
int cuStreamSynchronize(void* stream) {
    if (is_capturing || is_captured(stream)) return CAPTURE_UNSUPPORTED;
    return failed ? failed : check_guards();
}
int cuEventCreate(void** event, unsigned) {
    *event = (void*)&lock;
    return OK;
}
int cuEventRecord(void*, void*) { return OK; }
int cuEventSynchronize(void*) { return OK; }
int cuEventDestroy_v2(void*) { return OK; }

int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
    if (is_capturing) return CAPTURE_UNSUPPORTED;
    if (!bytes) return INVALID;
    std::lock_guard<std::mutex> guard(lock);
    if (allocated_bytes + bytes > total_memory()) return OUT_OF_MEMORY;
    auto* start = (unsigned char*)aligned_alloc(GUARD, (bytes + GUARD - 1) / GUARD * GUARD + 2 * GUARD);
    if (!start) return OUT_OF_MEMORY;
    // Surround the memory with guards, and fill it with NaN.
    memset(start, GUARDED, (bytes + GUARD - 1) / GUARD * GUARD + 2 * GUARD);
    *address = (uint64_t)start + GUARD;
    memory[*address] = bytes;
    owners[*address] = current;
    allocated_bytes += bytes;
    return OK;
}
int cuMemFree_v2(uint64_t address) {
    const int code = check_guards();
    std::lock_guard<std::mutex> guard(lock);
    const auto found = memory.find(address);
    if (found == memory.end()) return INVALID;
    allocated_bytes -= found->second;
    memory.erase(found);
    free((void*)(address - GUARD));
    return code;
}
int cuMemGetInfo_v2(size_t* available, size_t* total) {
    if (mode() == "slow") usleep(200000);
    *total = total_memory();
    *available = total_memory() - allocated_bytes;
    return OK;
}
int cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
    *memory = malloc(bytes);
    return *memory ? OK : OUT_OF_MEMORY;
}
int cuMemFreeHost(void* memory) {
    free(memory);
    return OK;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
    if (!within(to, bytes) || is_captured(stream)) return INVALID;
    memcpy((void*)to, from, bytes);
    return OK;
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
    if (!within(from, bytes) || is_captured(stream)) return INVALID;
    memcpy(to, (const void*)from, bytes);
    return failed;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
    if (!within(to, bytes) || !within(from, bytes)) return INVALID;
    return submit(stream, [=] {
        memmove((void*)to, (const void*)from, bytes);
        return (int)OK;
    });
}
// Loads a module, which is the content of a shared library. Its section table comes last, which determines the size.
int cuModuleLoadData(void** module, const void* image) {
    const auto* header = (const Elf64_Ehdr*)image;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG)) return INVALID_IMAGE;
    const size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    // Use a unique name, because the loader treats two files with the same name as one.
    char path[] = "/tmp/tpulang-module-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0) return OUT_OF_MEMORY;
    bool is_complete = true;
    for (size_t at = 0; at < size && is_complete;) {
        const ssize_t n = write(file, (const char*)image + at, size - at);
        is_complete = n > 0;
        at += n;
    }
    close(file);
    *module = is_complete ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    unlink(path);
    return *module ? OK : INVALID_IMAGE;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
    void* const entry = dlsym(module, name);
    void* const sizes = dlsym(module, (std::string(name) + "_sizes").c_str());
    if (!entry || !sizes) return INVALID;
    // It is never freed.
    *function = new Function{(int (*)(void**, const unsigned*))entry, ((const unsigned char* (*)())sizes)()};
    return OK;
}
int cuModuleUnload(void* module) { return dlclose(module) ? INVALID : OK; }
int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned a, unsigned b, unsigned c, unsigned, void* stream,
                   void** parameters, void**) {
    if (!x || !y || !z || y > 65535 || z > 65535 || !a || !b || !c || a * b * c > 1024) return INVALID;
    const auto* kernel = (const Function*)function;
    Launch launch = {kernel->entry, {x, y, z, a, b, c}, {}};
    for (int i = 0; kernel->sizes[i]; i++) {
        const auto* bytes = (const unsigned char*)parameters[i];
        launch.values.emplace_back(bytes, bytes + kernel->sizes[i]);
    }
    return submit(stream, [launch = std::move(launch)] { return run(launch); });
}

int cuStreamBeginCapture_v2(void* stream, int) {
    std::lock_guard<std::mutex> guard(lock);
    if (is_capturing || ((Stream*)stream)->capturing || mode() == "uncapturable") return CAPTURE_UNSUPPORTED;
    ((Stream*)stream)->capturing = new Graph();
    is_capturing = true;
    return OK;
}
int cuStreamEndCapture(void* stream, void** graph) {
    std::lock_guard<std::mutex> guard(lock);
    *graph = ((Stream*)stream)->capturing;
    ((Stream*)stream)->capturing = nullptr;
    is_capturing = false;
    return *graph ? OK : INVALID;
}
int cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) {
    *made = new Graph(*(Graph*)graph);
    return OK;
}
int cuGraphDestroy(void* graph) {
    delete (Graph*)graph;
    return OK;
}
int cuGraphExecDestroy(void* graph) {
    delete (Graph*)graph;
    return OK;
}
int cuGraphLaunch(void* graph, void* stream) {
    if (failed) return failed;
    if (is_captured(stream)) return CAPTURE_UNSUPPORTED;
    if (mode() == "verbose") fprintf(stderr, "a graph of %zu\n", ((Graph*)graph)->all.size());
    for (const auto& work : ((Graph*)graph)->all)
        if (const int code = work()) return failed = code;
    return OK;
}

// Submits work of the other emulated libraries to a stream, like a launch. The data are dropped when the work cannot run again.
int emulated_submit(void* stream, int (*run)(void*), void* data, void (*drop)(void*)) {
    const std::shared_ptr<void> kept(data, drop);
    // The default stream is not ordered with the streams that were created.
    if (!stream) return INVALID;
    return submit(stream, [run, kept] { return run(kept.get()); });
}
int emulated_is_allocated(uint64_t address, size_t bytes) { return within(address, bytes); }
int emulated_is_capturing() { return is_capturing; }
}
