/* What LLVM's libraries and libstdc++ use of versions of glibc later than 2.28. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* Of 2.32: whether counters may be changed without atomic instructions. */
char __libc_single_threaded = 0;

/* Of 2.33: what malloc has handed out, which LLVM prints beside its timers. They are off. */
struct mallinfo2 mallinfo2(void) {
    struct mallinfo2 unknown = {0};
    return unknown;
}

/* Of 2.36. */
uint32_t arc4random(void) {
    uint32_t number;
    if (getentropy(&number, sizeof number) != 0)
        abort();
    return number;
}
