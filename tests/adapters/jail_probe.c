// What a jailed process can do, one question a run: prints answers that the tests compare. Built by the fixture `probe`.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct call { const char *name; long number; };
#define CALL(name) { #name, SYS_##name }
static const struct call forbidden[] = {
    CALL(memfd_create), CALL(socket), CALL(socketpair), CALL(connect), CALL(bind), CALL(listen), CALL(accept), CALL(accept4),
    CALL(ptrace), CALL(process_vm_readv), CALL(process_vm_writev), CALL(userfaultfd), CALL(io_uring_setup),
    CALL(io_uring_enter), CALL(io_uring_register), CALL(bpf), CALL(perf_event_open), CALL(keyctl), CALL(add_key),
    CALL(request_key), CALL(mount), CALL(umount2), CALL(pivot_root), CALL(chroot), CALL(move_mount), CALL(open_tree),
    CALL(fsopen), CALL(fsconfig), CALL(fsmount), CALL(fspick), CALL(unshare), CALL(setns), CALL(open_by_handle_at),
    CALL(name_to_handle_at), CALL(mknod), CALL(init_module), CALL(finit_module), CALL(delete_module), CALL(kexec_load),
    CALL(reboot), CALL(swapon), CALL(swapoff), CALL(acct), CALL(quotactl), CALL(syslog), CALL(settimeofday),
    CALL(clock_settime), CALL(adjtimex), CALL(sethostname), CALL(setdomainname), CALL(iopl), CALL(ioperm), CALL(modify_ldt),
    CALL(personality), CALL(shmget), CALL(msgget), CALL(semget), CALL(mq_open), CALL(fanotify_init), CALL(pidfd_open),
    CALL(kcmp), CALL(vmsplice), CALL(io_setup), CALL(mbind), CALL(move_pages),
};

static void say(const char *what, long result) {
  printf("%s %s\n", what, result < 0 ? strerrorname_np(errno) : "done");
}

static int ask_files(char **paths, int flags) {
  for (; *paths; ++paths) {
    int file = open(*paths, flags, 0600);
    say(*paths, file);
    if (file >= 0) close(file);
  }
  return 0;
}

static int fill(const char *path) {
  static char block[1 << 16];
  int file = open(path, O_WRONLY | O_CREAT, 0600);
  long total = 0, done;
  signal(SIGXFSZ, SIG_IGN);
  while ((done = write(file, block, sizeof block)) > 0) total += done;
  printf("%ld %s\n", total, strerrorname_np(errno));
  return 0;
}

static int forks(int wanted) {
  int made = 0;
  while (made < wanted) {
    pid_t child = fork();
    if (child < 0) break;
    if (child == 0) for (;;) pause();
    ++made;
  }
  printf("%d %s\n", made, strerrorname_np(errno));
  return 0;
}

static int touch(long left) {
  for (; left > 0; left -= 1 << 20) {
    char *block = malloc(1 << 20);
    if (!block) return printf("refused\n") < 0 || 1;
    memset(block, 1, 1 << 20);
  }
  return 0;
}

static int crowd(int members, long bytes) {
  int failures = 0, status;
  for (; members > 0; --members)
    if (fork() == 0) {
      if (touch(bytes)) _exit(1);
      sleep(3);
      _exit(0);
    }
  while (wait(&status) > 0) failures += status != 0;
  return failures != 0;
}

static int daemon_away(void) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) {
      signal(SIGTERM, SIG_IGN);
      signal(SIGHUP, SIG_IGN);
      for (;;) pause();
    }
    _exit(0);
  }
  wait(NULL);
  return 0;
}

static int flood(int descriptor, long bytes) {
  static char block[1 << 16];
  memset(block, 'x', sizeof block);
  while (bytes > 0) {
    long done = write(descriptor, block, bytes < (long)sizeof block ? bytes : (long)sizeof block);
    if (done < 0) return 1;
    bytes -= done;
  }
  return 0;
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (!strcmp(what, "ids")) return printf("%d %d\n", getuid(), getgid()) < 0;
  if (!strcmp(what, "read")) return ask_files(words + 2, O_RDONLY);
  if (!strcmp(what, "write")) return ask_files(words + 2, O_WRONLY | O_CREAT);
  if (!strcmp(what, "fill")) return fill(words[2]);
  if (!strcmp(what, "forks")) return forks(atoi(words[2]));
  if (!strcmp(what, "daemon")) return daemon_away();
  if (!strcmp(what, "flood")) {
    for (int place = 2; place + 1 < count; place += 2)
      if (flood(atoi(words[place]), atol(words[place + 1]))) return 1;
    return 0;
  }
  if (!strcmp(what, "exit")) return atoi(words[2]);
  if (!strcmp(what, "raise")) return raise(atoi(words[2]));
  if (!strcmp(what, "hang")) {
    for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
    for (;;) pause();
  }
  if (!strcmp(what, "spin")) {
    signal(SIGXCPU, SIG_IGN);
    for (volatile unsigned long turns = 0;; ++turns) {}
  }
  if (!strcmp(what, "memory")) return touch(atol(words[2]));
  if (!strcmp(what, "crowd")) return crowd(atoi(words[2]), atol(words[3]));
  if (!strcmp(what, "forbidden")) {
    for (size_t place = 0; place < sizeof forbidden / sizeof *forbidden; ++place)
      say(forbidden[place].name, syscall(forbidden[place].number, 0, 0, 0, 0, 0, 0));
    return 0;
  }
  if (!strcmp(what, "namespaces")) {
    say("clone", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
    say("clone3", syscall(SYS_clone3, 0, 0));
    say("tomorrow", syscall(470, 0, 0, 0));
    say("tiocsti", ioctl(0, TIOCSTI, "x"));
    say("new_privileges", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
    printf("no_new_privileges %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    return 0;
  }
  if (!strcmp(what, "int80")) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L));
    return printf("%ld\n", result) < 0;
  }
  if (!strcmp(what, "x32")) return printf("%ld\n", syscall(0x40000000L | SYS_getpid)) < 0;
  if (!strcmp(what, "environment")) {
    for (char **one = environ; *one; ++one) puts(*one);
    return 0;
  }
  if (!strcmp(what, "descriptors")) {
    for (int number = 0; number < 1024; ++number)
      if (fcntl(number, F_GETFD) >= 0) printf("%d ", number);
    return 0;
  }
  if (!strcmp(what, "addresses")) {
    int here;
    printf("%p %p\n", (void *)&here, (void *)&main);
    return 0;
  }
  if (!strcmp(what, "say")) return puts(words[2]) < 0;
  return 2;
}
