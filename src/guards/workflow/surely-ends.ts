import type { Event } from '../../core/event';

/** Up to here every pattern is done in a moment, even one that takes the square of a text's length. */
const SURE_LENGTH = 8 * 1024;

/** No pattern here is a user's, but they run on texts of any length and shape; long ones are watched. */
export function surelyEnds(event: Event): boolean {
  return textsOf(event).every((text) => (text ?? '').length <= SURE_LENGTH);
}

function textsOf(event: Event): readonly (string | undefined)[] {
  switch (event.kind) {
    case 'tool.before':
      return [event.call.command, event.call.prompt];
    case 'tool.after':
      return [event.call.command, event.call.prompt, event.response.text, event.error];
    case 'prompt.submit':
      return [event.text];
    default:
      return [];
  }
}
