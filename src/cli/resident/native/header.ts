/** The lines before the event. What would break them makes the event one for the hook, which needs no lines. */
export const HEADER = String.raw`
static const char *const NAMES[] = {ENVIRONMENT};
static char header_room[LARGEST_HEADER];
static struct text header = {header_room, 0, sizeof header_room};
static int is_odd;

static void add(const char *text, size_t length) {
  if (length > header.room - header.length) {
    is_odd = 1;
    return;
  }
  memcpy(header.at + header.length, text, length);
  header.length += length;
}

static void add_value(const char *text, int has_blanks) {
  for (const char *at = text; *at; at++)
    if (*at == '%' || *at == '\n' || (*at == ' ' && !has_blanks)) is_odd = 1;
  add(text, strlen(text));
}

static void add_line(const char *name, const char *value) {
  add(name, strlen(name));
  add("=", 1);
  add_value(value, 1);
  add("\n", 1);
}

static void add_arguments(char **words) {
  add("args", 4);
  for (int at = 0; words[at]; at++) {
    add(at == 0 ? "=" : " ", 1);
    add_value(words[at], 0);
  }
  add("\n", 1);
}

static void add_parent(void) {
  char digits[24] = "";
  char *at = digits + sizeof digits - 1;
  for (long rest = getppid(); rest > 0; rest /= 10) *--at = (char)('0' + rest % 10);
  add_line("parent", at);
}

static void add_machine(void) {
  char name[256];
  int file = open("/proc/sys/kernel/hostname", O_RDONLY);
  if (file < 0) return;
  ssize_t length = read(file, name, sizeof name - 1);
  close(file);
  ssize_t end = 0;
  while (end < length && name[end] != '\n') end++;
  name[end] = 0;
  if (end > 0) add_line("machine", name);
}

/** A variable that is not set is not sent; one that is empty is. */
static void add_environment(void) {
  for (size_t which = 0; which < sizeof NAMES / sizeof *NAMES; which++) {
    size_t length = strlen(NAMES[which]);
    for (char **each = environ; *each; each++)
      if (strlen(*each) > length && memcmp(*each, NAMES[which], length) == 0 && (*each)[length] == '=') {
        add_line(NAMES[which], *each + length + 1);
        break;
      }
  }
}

static void write_header(const char *dist, char **arguments) {
  static char cwd[4096];
  add(VERSION "\n", sizeof VERSION);
  add_line("dist", dist);
  add_arguments(arguments);
  add_parent();
  if (getcwd(cwd, sizeof cwd) && cwd[0] == '/')
    add_line("cwd", cwd);
  else
    is_odd = 1;
  add_machine();
  add_environment();
  add("\n", 1);
}
`;
