// Answers CPUID instructions that benches/limited.py replaced by traps, without AVX-512, AMX and VNNI.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <ucontext.h>

#define BIT(n) (1u << (n))

static void answer(int number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    unsigned leaf = registers[REG_RAX], subleaf = registers[REG_RCX], a, b, c, d;
    __cpuid_count(leaf, subleaf, a, b, c, d);
    if (leaf == 7 && subleaf == 0) {
        // AVX-512 F, DQ, IFMA, PF, ER, CD, BW, VL
        b &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31));
        // AVX-512 VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ
        c &= ~(BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14));
        // AVX-512 4VNNIW, 4FMAPS, VP2INTERSECT; AMX BF16; AVX-512 FP16; AMX TILE, INT8
        d &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25));
    } else if (leaf == 7 && subleaf == 1) {
        // AVX VNNI, AVX-512 BF16, AMX FP16, AVX IFMA
        a &= ~(BIT(4) | BIT(5) | BIT(21) | BIT(23));
        // AVX VNNI INT8, AVX NE CONVERT, AMX COMPLEX, AVX VNNI INT16, AVX10
        d &= ~(BIT(4) | BIT(5) | BIT(8) | BIT(10) | BIT(19));
    }
    registers[REG_RAX] = a;
    registers[REG_RBX] = b;
    registers[REG_RCX] = c;
    registers[REG_RDX] = d;
    // CPUID has two bytes, of which the trap was the first.
    registers[REG_RIP] += 1;
}

__attribute__((constructor)) static void install(void) {
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGTRAP, &action, 0);
}
