/**
 * Becomes the launch file, with a word that says how the asking went, if anybody was asked; the host stays the parent. An
 * event that was read is on standard input again: one that a pipe may not take at once is put into it by a process beside.
 */
export const HAND_OVER = String.raw`
static const size_t PIPE_TAKES = 4096;

static void give_back(struct text event) {
  int ends[2];
  if (pipe(ends) < 0) fail("holdpoint: no pipe can be made, so nothing is checked.\n");
  if (event.length <= PIPE_TAKES) {
    write_whole(ends[1], event.at, event.length);
  } else {
    pid_t writer = fork();
    if (writer < 0) fail("holdpoint: no process can be started, so nothing is checked.\n");
    if (writer == 0) {
      close(ends[0]);
      write_whole(ends[1], event.at, event.length);
      _exit(0);
    }
  }
  close(ends[1]);
  dup2(ends[0], 0);
  close(ends[0]);
}

/** One that is there already would hide the new one. */
static int is_asked(const char *variable) {
  static const char name[] = "HOLDPOINT_ASKED=";
  return strlen(variable) >= sizeof name - 1 && memcmp(variable, name, sizeof name - 1) == 0;
}

__attribute__((noreturn)) static void become(char *launch, char **arguments, char *asked) {
  int variables = 0, words = 0;
  while (environ[variables]) variables++;
  while (arguments[words]) words++;
  char *environment[variables + 2], *command[words + 5];
  char **next = environment;
  if (asked) *next++ = asked;
  for (int at = 0; at < variables; at++)
    if (!is_asked(environ[at])) *next++ = environ[at];
  *next = NULL;
  char *before[] = {"sh", "-c", launch, "sh"};
  for (int at = 0; at < 4; at++) command[at] = before[at];
  for (int at = 0; at <= words; at++) command[at + 4] = arguments[at];
  execve("/bin/sh", command, environment);
  fail("holdpoint: /bin/sh cannot be started, so nothing is checked.\n");
}

__attribute__((noreturn)) static void hand_over(char *launch, char **arguments, struct text event, char *asked) {
  give_back(event);
  become(launch, arguments, asked);
}
`;
