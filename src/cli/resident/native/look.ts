/**
 * Looks at the socket as the launch file does, for a host that starts the client without a shell: below `/tmp` anybody may
 * have been there first. Nothing of the event is read before.
 */
export const LOOK = `
static char *why_unasked(const char *path) {
  struct stat found;
  if (stat(path, &found) < 0 || !S_ISSOCK(found.st_mode)) return "HOLDPOINT_ASKED=nobody";
  return found.st_uid == geteuid() ? NULL : "HOLDPOINT_ASKED=foreign";
}
`;
