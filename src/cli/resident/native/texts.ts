/** Texts of any length, read whole and written whole, also where a pipe does not block. */
export const TEXTS = String.raw`
struct text {
  char *at;
  size_t length, room;
};

/** Where nothing else can be done. An error of ours refuses nothing: that is 1, but for Copilot, where only 0 lets pass. */
__attribute__((noreturn)) static void fail(const char *sentence) {
  static const char copilot[] = "COPILOT_CLI=";
  const size_t length = sizeof copilot - 1;
  int code = 1;
  for (char **each = environ; *each; each++)
    if (strlen(*each) > length && memcmp(*each, copilot, length) == 0) code = 0;
  if (write(2, sentence, strlen(sentence)) < 0) _exit(code);
  _exit(code);
}

/** Whether it is worth to try once more; waits until it is. */
static int again(int file, short until) {
  struct pollfd wanted = {file, until, 0};
  if (errno == EINTR) return 1;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return 0;
  poll(&wanted, 1, -1);
  return 1;
}

static void make_room(struct text *text) {
  size_t room = text->room * 2;
  char *at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) fail("holdpoint: there is no memory for the event, so nothing is checked.\n");
  memcpy(at, text->at, text->length);
  text->at = at;
  text->room = room;
}

/** Reads to the end. Who is impatient takes what came in time. */
static void read_whole(int file, struct text *text, int patient) {
  for (;;) {
    if (text->length == text->room) make_room(text);
    ssize_t got = read(file, text->at + text->length, text->room - text->length);
    if (got > 0)
      text->length += (size_t)got;
    else if (got == 0 || !patient || !again(file, POLLIN))
      return;
  }
}

static void write_whole(int file, const char *at, size_t length) {
  while (length > 0) {
    ssize_t put = write(file, at, length);
    if (put < 0 && !again(file, POLLOUT)) return;
    if (put < 0) continue;
    at += put;
    length -= (size_t)put;
  }
}
`;
