#include "script/host/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <vector>

namespace partita::script {
namespace {

// Writable memory: the heap with its grace, array buffers and what the program has besides. With the pages of the program it is
// what script_engine.h calls kHostMemoryBytesMax.
constexpr rlim_t kMemoryBytesMax = 264 << 20;

constexpr int kAllowed[] = {
    SYS_read,        SYS_write,       SYS_recvfrom,        SYS_sendto,          SYS_recvmsg,      SYS_sendmsg,
    SYS_mmap,        SYS_munmap,      SYS_mprotect,        SYS_mremap,          SYS_madvise,      SYS_brk,
    SYS_futex,       SYS_sched_yield, SYS_clock_gettime,   SYS_clock_getres,    SYS_gettimeofday, SYS_clock_nanosleep,
    SYS_nanosleep,   SYS_getrandom,   SYS_restart_syscall, SYS_rt_sigreturn,    SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_sigaltstack, SYS_getpid,      SYS_gettid,          SYS_getrusage,       SYS_exit,         SYS_exit_group,
    SYS_membarrier,  SYS_sysinfo,     SYS_uname,           SYS_set_robust_list, SYS_rseq,
};

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#endif

void limit(int resource, rlim_t value) {
  const struct rlimit bound = {value, value};
  (void)::setrlimit(static_cast<__rlimit_resource>(resource), &bound);
}

sock_filter statement(int code, size_t value) { return {static_cast<__u16>(code), 0, 0, static_cast<__u32>(value)}; }
sock_filter jump_if_equal(size_t value, size_t yes, size_t no) {
  return {BPF_JMP | BPF_JEQ | BPF_K, static_cast<__u8>(yes), static_cast<__u8>(no), static_cast<__u32>(value)};
}

std::vector<sock_filter> filter() {
  std::vector<sock_filter> program = {
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      jump_if_equal(kArchitecture, 1, 0),
      statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  const size_t count = std::size(kAllowed);
  for (size_t i = 0; i < count; ++i) program.push_back(jump_if_equal(static_cast<size_t>(kAllowed[i]), count - i, 0));
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return program;
}

}  // namespace

void limit_resources() {
  limit(RLIMIT_DATA, kMemoryBytesMax);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
}

void silence_errors() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

bool leave_the_system() {
  std::vector<sock_filter> instructions = filter();
  const sock_fprog program = {static_cast<unsigned short>(instructions.size()), instructions.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

}  // namespace partita::script
