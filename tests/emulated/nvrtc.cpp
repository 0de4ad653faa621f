// libnvrtc.so for tests: kernels are compiled as C++ for this machine's CPU with g++, and returned as the content of a
// shared library.
//
// TPULANG_SOURCES names a folder in which every compiled source is kept, with the requested functions in its first lines, so
// that it can also be compiled by the real compiler.
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {
struct Program {
    std::string text, log, code;
    bool is_ptx = false;
    std::vector<std::string> names;
    std::map<std::string, std::string> lowered;
};

std::string folder() {
    Dl_info info;
    dladdr((void*)&folder, &info);
    // The folder of the file itself, not of a link to it.
    char* real = realpath(info.dli_fname, nullptr);
    const std::string path = real ? real : info.dli_fname;
    free(real);
    return path.substr(0, path.rfind('/'));
}
std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
}
// Runs g++ in a temporary folder, which is removed afterwards.
int compiled(Program& p, const std::string& text) {
    char folder_template[] = "/tmp/tpulang-kernel-XXXXXX";
    if (!mkdtemp(folder_template)) return 1;
    const std::string at = folder_template;
    std::ofstream(at + "/kernel.cpp") << text;
    const char* chosen = getenv("CXX");
    const std::string compiler = chosen ? chosen : "g++";
    const std::string command = compiler + " -std=c++17 -O1 -fPIC -ffp-contract=off -w -shared -I " + folder() + " " + at +
                                "/kernel.cpp -o " + at + "/kernel.so > " + at + "/log 2>&1";
    const int rc = system(command.c_str());
    p.log = content(at + "/log");
    p.code = content(at + "/kernel.so");
    for (const char* file : {"/kernel.cpp", "/kernel.so", "/log"}) unlink((at + file).c_str());
    rmdir(folder_template);
    return rc;
}
void save_source(const Program& p) {
    const char* where = getenv("TPULANG_SOURCES");
    if (!where) return;
    std::string all;
    for (const auto& name : p.names) all += "// " + name + "\n";
    all += p.text;
    mkdir(where, 0777);
    const std::string path = std::string(where) + "/" + std::to_string(std::hash<std::string>()(all)) + ".cu";
    const std::string part = path + std::to_string(getpid());
    std::ofstream(part) << all;
    rename(part.c_str(), path.c_str());
}
}  // namespace

extern "C" {
int nvrtcVersion(int* major, int* minor) {
    // Not the version of a real compiler, so that cached kernels are not confused.
    const char* mode = getenv("TPULANG_EMULATED");
    *major = mode && !strcmp(mode, "twelve") ? 13 : 0;
    *minor = 13;
    return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
    *count = 2;
    return 0;
}
int nvrtcGetSupportedArchs(int* list) {
    list[0] = 80;
    list[1] = 90;
    return 0;
}
const char* nvrtcGetErrorString(int code) { return code ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS"; }
int nvrtcCreateProgram(Program** p, const char* text, const char*, int, const char* const*, const char* const*) {
    *p = new Program();
    (*p)->text = text;
    return 0;
}
int nvrtcDestroyProgram(Program** p) {
    delete *p;
    return 0;
}
int nvrtcAddNameExpression(Program* p, const char* name) {
    p->names.push_back(name);
    return 0;
}
int nvrtcCompileProgram(Program* p, int count, const char* const* options) {
    // The real library opens this file by its name only.
    if (!dlopen("libnvrtc-builtins.so.0.13", RTLD_LAZY)) {
        p->log = "nvrtc: error: failed to open libnvrtc-builtins.so.0.13.";
        return 7;
    }
    const std::string wanted = "--gpu-architecture=";
    bool is_known = false;
    for (int i = 0; i < count; i++) {
        const std::string option = options[i];
        if (option.compare(0, wanted.size(), wanted)) continue;
        const std::string architecture = option.substr(wanted.size());
        p->is_ptx = architecture == "compute_80" || architecture == "compute_90";
        is_known = p->is_ptx || architecture == "sm_80" || architecture == "sm_90";
    }
    if (!is_known) {
        p->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)";
        return 5;
    }
    save_source(*p);
    const bool barriers = p->text.find("__sync") != std::string::npos || p->text.find("__shfl") != std::string::npos;
    std::string text = p->text;
    for (size_t at; (at = text.find("extern \"C\" __global__")) != std::string::npos;) text.erase(at, 11);
    text = "#include \"emulated.h\"\n" + text + "\n";
    for (size_t i = 0; i < p->names.size(); i++) {
        p->lowered[p->names[i]] = "entry" + std::to_string(i);
        text += "TPULANG_ENTRY(" + std::to_string(i) + ", " + (barriers ? "true" : "false") + ", " + p->names[i] + ")\n";
    }
    return compiled(*p, text) ? 6 : 0;
}
int nvrtcGetProgramLogSize(Program* p, size_t* size) {
    *size = p->log.size() + 1;
    return 0;
}
int nvrtcGetProgramLog(Program* p, char* to) {
    memcpy(to, p->log.c_str(), p->log.size() + 1);
    return 0;
}
int nvrtcGetLoweredName(Program* p, const char* name, const char** lowered) {
    const auto found = p->lowered.find(name);
    if (found == p->lowered.end()) return 1;
    *lowered = found->second.c_str();
    return 0;
}
int nvrtcGetCUBINSize(Program* p, size_t* size) {
    *size = p->is_ptx ? 0 : p->code.size();
    return 0;
}
int nvrtcGetPTXSize(Program* p, size_t* size) {
    *size = p->code.size();
    return 0;
}
int nvrtcGetPTX(Program* p, char* to) {
    memcpy(to, p->code.data(), p->code.size());
    return 0;
}
int nvrtcGetCUBIN(Program* p, char* to) {
    memcpy(to, p->code.data(), p->code.size());
    return 0;
}
}
