/** Says what a whole reply says and ends with its code. Of anything else nothing is said. */
export const REPLY = String.raw`
/** Where a mark stands in a text; its end where it does not. */
static size_t find(const char *at, size_t length, const char *mark, size_t mark_length) {
  for (size_t from = 0; from + mark_length <= length; from++)
    if (memcmp(at + from, mark, mark_length) == 0) return from;
  return length;
}

static void say(struct text reply) {
  static const char start[] = VERSION " ";
  const size_t code_at = sizeof start - 1, mark_at = code_at + 2;
  if (reply.length < mark_at || memcmp(reply.at, start, code_at) != 0 || reply.at[code_at + 1] != ' ') return;
  char code = reply.at[code_at];
  if (code != '0' && code != '2') return;
  const char *mark = reply.at + mark_at;
  size_t mark_length = find(mark, reply.length - mark_at, "\n", 1);
  if (mark_length == 0 || mark_at + mark_length == reply.length) return;
  const char *body = mark + mark_length + 1;
  size_t length = reply.length - (size_t)(body - reply.at);
  size_t errors = find(body, length, mark, mark_length);
  if (length < errors + 2 * mark_length) return;
  const char *output = body + errors + mark_length;
  size_t rest = length - errors - 2 * mark_length;
  if (memcmp(output + rest, mark, mark_length) != 0) return;
  write_whole(2, body, errors);
  write_whole(1, output, rest);
  _exit(code - '0');
}
`;
