/**
 * What the client needs of a C library, as calls of the kernel. To start with a library takes longer than all that
 * the client does: it asks the processor what it can, and under a hypervisor each such question is slow. Only Linux
 * promises that its calls stay as they are.
 */
export const BARE_LINUX = String.raw`
#include <sys/syscall.h>

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall begin\n");

static long kernel(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x30, #0\n\tmov x0, sp\n\tand sp, x0, #-16\n\tbl begin\n");

static long kernel(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#else
#error "no calls of the kernel are known for this processor"
#endif

static int last_error;
int *__errno_location(void) { return &last_error; }

static long call(long number, long a, long b, long c, long d, long e, long f) {
  long result = kernel(number, a, b, c, d, e, f);
  if (result >= 0 || result < -4095) return result;
  last_error = (int)-result;
  return -1;
}

char **environ;
int main(int count, char **words);

__attribute__((noreturn)) void _exit(int code) {
  for (;;) kernel(SYS_exit_group, code, 0, 0, 0, 0, 0);
}

__attribute__((used, noreturn)) void begin(long *stack) {
  char **words = (char **)(stack + 1);
  environ = words + *stack + 1;
  _exit(main((int)*stack, words));
}

ssize_t read(int file, void *into, size_t room) { return call(SYS_read, file, (long)into, (long)room, 0, 0, 0); }
ssize_t write(int file, const void *at, size_t length) {
  return call(SYS_write, file, (long)at, (long)length, 0, 0, 0);
}
int open(const char *path, int flags, ...) { return (int)call(SYS_openat, AT_FDCWD, (long)path, flags, 0, 0, 0); }
int close(int file) { return (int)call(SYS_close, file, 0, 0, 0, 0, 0); }
int pipe(int ends[2]) { return (int)call(SYS_pipe2, (long)ends, 0, 0, 0, 0, 0); }
int dup2(int from, int to) { return (int)call(SYS_dup3, from, to, 0, 0, 0, 0); }
pid_t fork(void) { return (pid_t)call(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0); }
uid_t geteuid(void) { return (uid_t)call(SYS_geteuid, 0, 0, 0, 0, 0, 0); }
int stat(const char *path, struct stat *into) {
  return (int)call(SYS_newfstatat, AT_FDCWD, (long)path, (long)into, 0, 0, 0);
}
pid_t getppid(void) { return (pid_t)call(SYS_getppid, 0, 0, 0, 0, 0, 0); }
int execve(const char *path, char *const words[], char *const environment[]) {
  return (int)call(SYS_execve, (long)path, (long)words, (long)environment, 0, 0, 0);
}
char *getcwd(char *into, size_t room) {
  return call(SYS_getcwd, (long)into, (long)room, 0, 0, 0, 0) < 0 ? NULL : into;
}
int poll(struct pollfd *files, nfds_t count, int forever) {
  (void)forever;
  return (int)call(SYS_ppoll, (long)files, (long)count, 0, 0, 0, 0);
}
void *mmap(void *where, size_t length, int protection, int flags, int file, off_t from) {
  return (void *)call(SYS_mmap, (long)where, (long)length, protection, flags, file, (long)from);
}
int socket(int family, int type, int protocol) { return (int)call(SYS_socket, family, type, protocol, 0, 0, 0); }
int setsockopt(int file, int level, int name, const void *value, socklen_t length) {
  return (int)call(SYS_setsockopt, file, level, name, (long)value, length, 0);
}
int connect(int file, const struct sockaddr *place, socklen_t length) {
  return (int)call(SYS_connect, file, (long)place, length, 0, 0, 0);
}
ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
  return call(SYS_sendmsg, file, (long)message, flags, 0, 0, 0);
}
int shutdown(int file, int how) { return (int)call(SYS_shutdown, file, how, 0, 0, 0, 0); }

/* Compilers call these by themselves. */
void *memcpy(void *into, const void *from, size_t length) {
  for (size_t at = 0; at < length; at++) ((char *)into)[at] = ((const char *)from)[at];
  return into;
}
void *memset(void *into, int byte, size_t length) {
  for (size_t at = 0; at < length; at++) ((char *)into)[at] = (char)byte;
  return into;
}
int memcmp(const void *one, const void *other, size_t length) {
  const unsigned char *a = one, *b = other;
  for (size_t at = 0; at < length; at++)
    if (a[at] != b[at]) return a[at] - b[at];
  return 0;
}
size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  return length;
}
`;
