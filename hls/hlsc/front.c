// SPDX-License-Identifier: BSD-2-Clause
/* front.c - C to optimised LLVM IR: clang as a program, passes through LLVM-C. */
#include "lower.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/*
 * A pipeline of our own, so that no jump table, lookup table, vector or loop
 * idiom appears. Loops are unrolled whole; what remains is straight code and
 * forward branches.
 */
static const char passes[] =
    "always-inline,function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-simplify,lcssa,loop(indvars,loop-unroll-full),sroa,early-cse<memssa>,gvn,"
    "instcombine<no-verify-fixpoint>,simplifycfg,mergereturn,adce)";

static void run_clang(const char *file, const char *out, const char *const *args, int nargs)
{
    // no aliasing rules: an access through another type of the same size means what it says
    const char *fixed[] = {"clang-19", "-std=c23", "-O1", "-fno-strict-aliasing", "-Xclang", "-disable-llvm-passes", "-emit-llvm",
                           "-c", "-g", "-o", out, file};
    int n = 0;
    const char **argv = xalloc(((size_t)nargs + 16) * sizeof *argv);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        argv[n++] = fixed[i];
    for (int i = 0; i < nargs; i++)
        argv[n++] = args[i];
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, argv[0], nullptr, nullptr, (char *const *)argv, environ))
        die(NOWHERE, "cannot run %s", argv[0]);
    if (waitpid(pid, &status, 0) != pid || status) {
        unlink(out);
        die((struct loc){file, 1, 1}, "clang did not compile it");
    }
}

static LLVMModuleRef read_bitcode(const char *path)
{
    LLVMMemoryBufferRef buf;
    LLVMModuleRef m;
    char *msg = nullptr;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buf, &msg))
        die(NOWHERE, "%s: %s", path, msg);
    unlink(path);
    if (LLVMParseBitcode2(buf, &m))
        die(NOWHERE, "%s: no valid bitcode", path);
    return m;
}

/** Every helper is inlined, whatever its attributes say; what stays a call is refused later. */
static void inline_all(LLVMModuleRef m, LLVMValueRef step)
{
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    unsigned never = LLVMGetEnumAttributeKindForName("noinline", 8);
    LLVMAttributeRef a = LLVMCreateEnumAttribute(LLVMGetModuleContext(m), always, 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || f == step)
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, never);
        LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, a);
        LLVMSetLinkage(f, LLVMInternalLinkage);
    }
}

/** clang marks accesses to annotated fields with calls that only pass the address on. */
static void drop_annotations(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef next;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
                next = LLVMGetNextInstruction(i);
                size_t n;
                if (!LLVMIsACallInst(i) ||
                    strncmp(LLVMGetValueName2(LLVMGetCalledValue(i), &n), "llvm.ptr.annotation", 19))
                    continue;
                LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, 0));
                LLVMInstructionEraseFromParent(i);
            }
        }
}

LLVMValueRef front_compile(const char *file, const char *name, const char *const *args, int nargs)
{
    char out[] = "/tmp/hlsc-XXXXXX";
    int fd = mkstemp(out);
    if (fd < 0)
        die(NOWHERE, "cannot create %s", out);
    close(fd);
    run_clang(file, out, args, nargs);
    const char *opt[] = {"hlsc", "-pragma-unroll-threshold=4000000", "-unroll-max-upperbound=65536"};
    LLVMParseCommandLineOptions(3, opt, nullptr);
    LLVMModuleRef m = read_bitcode(out);
    LLVMValueRef step = LLVMGetNamedFunction(m, fmt("%s_step", name));
    if (!step || LLVMIsDeclaration(step))
        die((struct loc){file, 1, 1}, "no definition of %s_step; MR_KERNEL(%s) { ... } makes one", name, name);
    inline_all(m, step);
    drop_annotations(m);
    target = LLVMGetModuleDataLayout(m);
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(m, passes, nullptr, o);
    if (e)
        die((struct loc){file, 1, 1}, "LLVM: %s", LLVMGetErrorMessage(e));
    LLVMSetIsNewDbgInfoFormat(m, 0); // debug values as calls, which LLVM-C can read
    return step;
}
