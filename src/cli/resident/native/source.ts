import { ALONE, ENVIRONMENT, LARGEST_HEADER, VERSION } from '../../../server/wire';
import { LAUNCH_OR_SAY } from '../../install/start-line';
import { ASK } from './ask';
import { BARE_LINUX } from './bare-linux';
import { HAND_OVER } from './hand-over';
import { HEADER } from './header';
import { LOOK } from './look';
import { REPLY } from './reply';
import { TEXTS } from './texts';

/** What the program is built on. */
export type Ground = 'bare-linux' | 'library';

const START = `
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
`;

const MAIN = String.raw`
/* Called with the socket, how many seconds to wait, where our files are, what sources the launch file, and the hook's
   arguments. A host that does not know the form with arguments calls it with nothing: that is what a shell is for. */
int main(int count, char **words) {
  static char event_room[65536], reply_room[65536];
  struct text event = {event_room, 0, sizeof event_room}, reply = {reply_room, 0, sizeof reply_room};
  if (count == 1) become(LAUNCH, words + 1, NULL);
  if (count < 5) fail("holdpoint: this program is run by ~/.config/holdpoint/launch.\n");
  char **arguments = words + 5;
  long patience = 0;
  for (char *digit = words[2]; *digit; digit++) patience = patience * 10 + (*digit - '0');
  char *unasked = why_unasked(words[1]);
  if (unasked) become(words[4], arguments, unasked);
  write_header(words[3], arguments);
  read_whole(0, &event, 1);
  if (is_odd) hand_over(words[4], arguments, event, "HOLDPOINT_ASKED=odd");
  ask(words[1], patience, event, &reply);
  say(reply);
  int alone = reply.length == sizeof ALONE - 1 && memcmp(reply.at, ALONE, reply.length) == 0;
  hand_over(words[4], arguments, event, alone ? "HOLDPOINT_ASKED=alone" : "HOLDPOINT_ASKED=silent");
}
`;

/**
 * A client in C that does all that a shell and a program beside it would do: one file, without anything of others but
 * the headers of the system.
 */
export function clientSource(ground: Ground): string {
  const library = ground === 'library' ? 'extern char **environ;\n' : BARE_LINUX;
  const names = ENVIRONMENT.map((name) => JSON.stringify(name)).join(', ');
  const constants = `
#define VERSION ${JSON.stringify(VERSION)}
#define ALONE ${JSON.stringify(ALONE)}
#define LARGEST_HEADER ${LARGEST_HEADER}
#define ENVIRONMENT ${names}
#define LAUNCH ${JSON.stringify(LAUNCH_OR_SAY)}
`;
  return [START, constants, library, TEXTS, HEADER, LOOK, ASK, REPLY, HAND_OVER, MAIN].join('');
}
