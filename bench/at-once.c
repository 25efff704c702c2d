// Starts a command again and again, some of them at the same time, and prints of every run how many microseconds it
// took from before its start until its end was known, its processor time and its exit code.
// at-once LANES RUNS DIRECTORY INPUTS COMMAND...: INPUTS names a file with a path a line; the runs take them in turn.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_LANES 64
#define MOST_INPUTS 4096

extern char **environ;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static long long microseconds(struct timeval time) { return time.tv_sec * 1000000LL + time.tv_usec; }

/** The child borrows our memory until it is another program, so a start costs what it costs the kernel. */
static pid_t start(const char *input, char **command) {
  pid_t child = vfork();
  if (child != 0) return child;
  int in = open(input, O_RDONLY), out = open("/dev/null", O_WRONLY);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  close(in);
  close(out);
  execve(command[0], command, environ);
  _exit(127);
}

static int read_inputs(const char *list, char **inputs) {
  FILE *file = fopen(list, "r");
  int count = 0;
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  while (file && count < MOST_INPUTS && (length = getline(&line, &room, file)) > 1) {
    line[length - 1] = 0;
    inputs[count++] = strdup(line);
  }
  return count;
}

/** One after the other, every `step`th of the inputs. A line is written at once, so that those of others do not mix with it. */
static void run_lane(int first, int step, int runs, char **inputs, int known, char **command) {
  for (int run = first; run < runs; run += step) {
    int status;
    struct rusage used;
    long long begun = now();
    pid_t child = start(inputs[run % known], command);
    while (wait4(child, &status, 0, &used) != child)
      ;
    long long took = now() - begun;
    printf("%lld %lld %d\n", took, microseconds(used.ru_utime) + microseconds(used.ru_stime),
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    fflush(stdout);
  }
}

/** A lane is a process, as the host of an agent is one: none waits until another's program has been started. */
int main(int count, char **words) {
  static char *inputs[MOST_INPUTS];
  if (count < 6 || chdir(words[3]) != 0) return 2;
  int lanes = atoi(words[1]), runs = atoi(words[2]), known = read_inputs(words[4], inputs);
  if (known == 0 || lanes > MOST_LANES) return 2;
  for (int lane = 0; lane < lanes; lane++) {
    pid_t child = fork();
    if (child < 0) return 2;
    if (child > 0) continue;
    run_lane(lane, lanes, runs, inputs, known, words + 5);
    return 0;
  }
  while (wait(NULL) > 0)
    ;
}
