/** Sends header and event to the server and takes what it says, as long as it says something in time. */
export const ASK = `
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static int connect_to(const char *path, long patience) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  struct timeval limit = {.tv_sec = patience};
  size_t length = strlen(path);
  if (length >= sizeof place.sun_path) return -1;
  memcpy(place.sun_path, path, length);
  int line = socket(AF_UNIX, SOCK_STREAM, 0);
  if (line < 0) return -1;
  setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(line, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
#ifdef SO_NOSIGPIPE
  setsockopt(line, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
  return connect(line, (struct sockaddr *)&place, sizeof place) < 0 ? -1 : line;
}

/** In one piece where the kernel takes it so: the server then wakes up once. Whether it is worth to wait for a reply. */
static int send_request(int line, struct text event) {
  struct iovec parts[2] = {{header.at, header.length}, {event.at, event.length}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  /* What is left of the first try was not taken in time, so nothing more is waited for. */
  for (int flags = MSG_NOSIGNAL; parts[0].iov_len + parts[1].iov_len > 0; flags = MSG_NOSIGNAL | MSG_DONTWAIT) {
    ssize_t sent = sendmsg(line, &message, flags);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
    for (int part = 0; part < 2; part++) {
      size_t done = (size_t)sent < parts[part].iov_len ? (size_t)sent : parts[part].iov_len;
      parts[part].iov_base = (char *)parts[part].iov_base + done;
      parts[part].iov_len -= done;
      sent -= (ssize_t)done;
    }
  }
  shutdown(line, SHUT_WR);
  return 1;
}

static void ask(const char *path, long patience, struct text event, struct text *reply) {
  int line = connect_to(path, patience);
  if (line < 0) return;
  if (send_request(line, event)) read_whole(line, reply, 0);
  close(line);
}
`;
